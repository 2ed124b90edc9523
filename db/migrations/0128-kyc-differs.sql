-- What the profile says otherwise is found field by field since.
drop function if exists kyc_differs(kyc_applications);
