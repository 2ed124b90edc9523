/** Identifiers: UUIDs (version 7 where this service makes them), branded so that one kind cannot stand where another belongs. */
import { z } from 'zod';

export const UserId = z.uuid().brand<'UserId'>();
export type UserId = z.output<typeof UserId>;

export const SessionId = z.uuid().brand<'SessionId'>();
export type SessionId = z.output<typeof SessionId>;

export const AccountId = z.uuid().brand<'AccountId'>();
export type AccountId = z.output<typeof AccountId>;

export const AccountTypeId = z.uuid().brand<'AccountTypeId'>();
export type AccountTypeId = z.output<typeof AccountTypeId>;

export const AccountRequestId = z.uuid().brand<'AccountRequestId'>();
export type AccountRequestId = z.output<typeof AccountRequestId>;

export const TransferId = z.uuid().brand<'TransferId'>();
export type TransferId = z.output<typeof TransferId>;

/** What somebody has decided on a transfer. */
export const DecisionId = z.uuid().brand<'DecisionId'>();
export type DecisionId = z.output<typeof DecisionId>;

export const QuoteId = z.uuid().brand<'QuoteId'>();
export type QuoteId = z.output<typeof QuoteId>;

/** A rule that makes a fee; its versions share the id. */
export const FeeRuleId = z.uuid().brand<'FeeRuleId'>();
export type FeeRuleId = z.output<typeof FeeRuleId>;

export const AccountFeeId = z.uuid().brand<'AccountFeeId'>();
export type AccountFeeId = z.output<typeof AccountFeeId>;

export const FxRateId = z.uuid().brand<'FxRateId'>();
export type FxRateId = z.output<typeof FxRateId>;

/** Somebody outside the bank whom a customer pays. */
export const BeneficiaryId = z.uuid().brand<'BeneficiaryId'>();
export type BeneficiaryId = z.output<typeof BeneficiaryId>;

/** A transfer for later, once or again and again. */
export const ScheduledTransferId = z.uuid().brand<'ScheduledTransferId'>();
export type ScheduledTransferId = z.output<typeof ScheduledTransferId>;

/** A scheme whose cards the bank issues. */
export const CardPaymentSystemId = z.uuid().brand<'CardPaymentSystemId'>();
export type CardPaymentSystemId = z.output<typeof CardPaymentSystemId>;

/** A kind of card that the bank offers; its versions share the id. */
export const CardProductId = z.uuid().brand<'CardProductId'>();
export type CardProductId = z.output<typeof CardProductId>;

export const CardId = z.uuid().brand<'CardId'>();
export type CardId = z.output<typeof CardId>;

export const ApplicationId = z.uuid().brand<'ApplicationId'>();
export type ApplicationId = z.output<typeof ApplicationId>;

export const CardFileId = z.uuid().brand<'CardFileId'>();
export type CardFileId = z.output<typeof CardFileId>;
export const CardClearingId = z.uuid().brand<'CardClearingId'>();
export type CardClearingId = z.output<typeof CardClearingId>;
export const CardPaymentId = z.uuid().brand<'CardPaymentId'>();
export type CardPaymentId = z.output<typeof CardPaymentId>;
export const CardAuthenticationId = z.uuid().brand<'CardAuthenticationId'>();
export type CardAuthenticationId = z.output<typeof CardAuthenticationId>;
export const CardDisputeId = z.uuid().brand<'CardDisputeId'>();
export type CardDisputeId = z.output<typeof CardDisputeId>;

export const TicketId = z.uuid().brand<'TicketId'>();
export type TicketId = z.output<typeof TicketId>;

export const TicketMessageId = z.uuid().brand<'TicketMessageId'>();
export type TicketMessageId = z.output<typeof TicketMessageId>;

/** A file on its way in or there; what it is attached to calls it attachment or document. */
export const UploadId = z.uuid().brand<'UploadId'>();
export type UploadId = z.output<typeof UploadId>;

export const MessageId = z.uuid().brand<'MessageId'>();
export type MessageId = z.output<typeof MessageId>;

/** Something that has happened. It counts once, whoever repeats it. */
export const EventId = z.uuid().brand<'EventId'>();
export type EventId = z.output<typeof EventId>;

export const PushSubscriptionId = z.uuid().brand<'PushSubscriptionId'>();
export type PushSubscriptionId = z.output<typeof PushSubscriptionId>;

export const NotificationId = z.uuid().brand<'NotificationId'>();
export type NotificationId = z.output<typeof NotificationId>;

/** A notification on one channel. */
export const DeliveryId = z.uuid().brand<'DeliveryId'>();
export type DeliveryId = z.output<typeof DeliveryId>;

/** Something that many people are told. */
export const AnnouncementId = z.uuid().brand<'AnnouncementId'>();
export type AnnouncementId = z.output<typeof AnnouncementId>;

/** An address that gets no mail. */
export const SuppressedAddressId = z.uuid().brand<'SuppressedAddressId'>();
export type SuppressedAddressId = z.output<typeof SuppressedAddressId>;

export const NotificationTemplateId = z.uuid().brand<'NotificationTemplateId'>();
export type NotificationTemplateId = z.output<typeof NotificationTemplateId>;

export const ChallengeId = z.uuid().brand<'ChallengeId'>();
export type ChallengeId = z.output<typeof ChallengeId>;

/** Becomes the user's id once the email address is proven. */
export const RegistrationId = z.uuid().brand<'RegistrationId'>();
export type RegistrationId = z.output<typeof RegistrationId>;

/** A new email address or phone number that waits to be proven. */
export const ContactChangeId = z.uuid().brand<'ContactChangeId'>();
export type ContactChangeId = z.output<typeof ContactChangeId>;

/** A change that waits for a second administrator. */
export const ChangeId = z.uuid().brand<'ChangeId'>();
export type ChangeId = z.output<typeof ChangeId>;

/** A line of the audit log. */
export const AuditEntryId = z.uuid().brand<'AuditEntryId'>();
export type AuditEntryId = z.output<typeof AuditEntryId>;

/** A file of a sanctions list that was read. */
export const ScreeningLoadId = z.uuid().brand<'ScreeningLoadId'>();
export type ScreeningLoadId = z.output<typeof ScreeningLoadId>;

/** An entry of a sanctions list. */
export const ScreeningEntryId = z.uuid().brand<'ScreeningEntryId'>();
export type ScreeningEntryId = z.output<typeof ScreeningEntryId>;

/** A rule of the money-laundering watch. */
export const AmlRuleId = z.uuid().brand<'AmlRuleId'>();
export type AmlRuleId = z.output<typeof AmlRuleId>;

/** A suspicion that somebody reviews. */
export const AmlFlagId = z.uuid().brand<'AmlFlagId'>();
export type AmlFlagId = z.output<typeof AmlFlagId>;

/** A file that reviewers keep with a flag. */
export const AmlAttachmentId = z.uuid().brand<'AmlAttachmentId'>();
export type AmlAttachmentId = z.output<typeof AmlAttachmentId>;

/** A report of suspicious activity. */
export const AmlReportId = z.uuid().brand<'AmlReportId'>();
export type AmlReportId = z.output<typeof AmlReportId>;

/** A vault at the custodian of coins. */
export const CryptoVaultId = z.uuid().brand<'CryptoVaultId'>();
export type CryptoVaultId = z.output<typeof CryptoVaultId>;

/** Where a customer receives a coin on a network. */
export const CryptoWalletId = z.uuid().brand<'CryptoWalletId'>();
export type CryptoWalletId = z.output<typeof CryptoWalletId>;

/** A binding price of coins. */
export const CryptoQuoteId = z.uuid().brand<'CryptoQuoteId'>();
export type CryptoQuoteId = z.output<typeof CryptoQuoteId>;

/** An order to buy or sell coins. */
export const CryptoOrderId = z.uuid().brand<'CryptoOrderId'>();
export type CryptoOrderId = z.output<typeof CryptoOrderId>;

/** Something that the custodian has told. */
export const CustodyEventId = z.uuid().brand<'CustodyEventId'>();
export type CustodyEventId = z.output<typeof CustodyEventId>;

/** Coins that have arrived at an address: one output of one transaction. */
export const CryptoDepositId = z.uuid().brand<'CryptoDepositId'>();
export type CryptoDepositId = z.output<typeof CryptoDepositId>;

/** What was booked of a deposit of coins. */
export const CryptoDepositBookingId = z.uuid().brand<'CryptoDepositBookingId'>();
export type CryptoDepositBookingId = z.output<typeof CryptoDepositBookingId>;

/** What moves at the custodian for the bank itself. */
export const CustodyMovementId = z.uuid().brand<'CustodyMovementId'>();
export type CustodyMovementId = z.output<typeof CustodyMovementId>;

/** What was booked of it. */
export const CustodyMovementBookingId = z.uuid().brand<'CustodyMovementBookingId'>();
export type CustodyMovementBookingId = z.output<typeof CustodyMovementBookingId>;

/** A price of a coin that something was done at. */
export const UsedPriceId = z.uuid().brand<'UsedPriceId'>();
export type UsedPriceId = z.output<typeof UsedPriceId>;
