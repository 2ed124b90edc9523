/** All entities; MikroORM needs them in one list. */
import { Account, AccountType } from './entities/account.ts';
import { Message } from './entities/message.ts';
import { Session } from './entities/session.ts';
import { Ticket, TicketAttachment, TicketMessage } from './entities/ticket.ts';
import { Transfer, TransferQuote, TransferType, TransferTypeCurrency } from './entities/transfer.ts';
import { Upload } from './entities/upload.ts';
import { User, UserPermission } from './entities/user.ts';

export const entities = [
  User,
  UserPermission,
  Session,
  AccountType,
  Account,
  TransferType,
  TransferTypeCurrency,
  TransferQuote,
  Transfer,
  Message,
  Upload,
  Ticket,
  TicketMessage,
  TicketAttachment,
] as const;
