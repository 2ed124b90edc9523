/** What activities are built with. Handed in by workers/run.ts; nothing is fetched. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { OrderTaker } from '../db/ledger/transfers.ts';
import type { CardVault } from '../adapters/card-vault.ts';
import type { Cipher } from '../adapters/cipher.ts';
import type { Custodian } from '../adapters/custody/custodian.ts';
import type { Mail, Sms } from '../adapters/mail.ts';
import type { PaymentRail } from '../adapters/rail/rail.ts';
import type { Storage } from '../adapters/storage.ts';
import type { Config } from '../config.ts';
import type { ScreeningSettings } from '../services/aml/screening.ts';

export interface ActivityDeps {
  /** A fresh fork for each use. */
  readonly em: () => EntityManager;
  readonly cipher: Cipher;
  /** Numbers of cards, under keys of their own. */
  readonly vault: CardVault;
  /** Gives orders to move money to the books. */
  readonly orders: OrderTaker;
  readonly mail: Mail;
  readonly sms: Sms;
  readonly storage: Storage;
  readonly rail: PaymentRail;
  /** Keeps the coins. */
  readonly custodian: Custodian;
  /** The bank: whose IBANs are made, whose days are counted, who speaks to customers, how names are screened; and the card network's folder. */
  readonly config: Pick<
    Config,
    'BANK_COUNTRY' | 'BANK_CODE' | 'BANK_TIME_ZONE' | 'BANK_NAME' | 'CARD_FOLDER' | 'publicUrl'
  > &
    ScreeningSettings;
  /** After so many days another key signs the tokens. */
  readonly keyRotationDays: number;
  readonly log: Logger;
}
