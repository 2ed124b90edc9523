-- what ends a payment that was held is looked up by what its flag is about
create index aml_flags_confirmed_subject on aml_flags (subject_id) where status = 'confirmed';
