/** The texts that the bank comes with: complete in every language, and careful with what they say where. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { approvalText, payeeText } from '../../../domain/notifications/approval-text.ts';
import { messageTemplates } from '../../../domain/notifications/messages.ts';
import { CHANNELS, COMMON_VARIABLES, type Variable } from '../../../domain/notifications/notifications.ts';
import { smsSize } from '../../../domain/notifications/sms.ts';
import type { Destination } from '../../../domain/transfers/transfer-intent.ts';
import { faultsOf } from '../../../services/notifications/texts/checks.ts';
import { namesIn } from '../../../services/notifications/texts/liquid.ts';
import { renderText } from '../../../services/notifications/texts/rendering.ts';
import { ADMIN_RULE, asAdmin } from '../../support/bank/settings.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { ownBank } from '../../support/stack/database.ts';

const NAME = 'Maria-Magdalena Äußerst-Längstenfeld';
/** Whom a payer can name, each as long as it gets. */
const PAYEES: readonly Destination[] = [
  { iban: 'MT84MALT011000012345MTLCAST001S', name: NAME },
  { account: '1'.repeat(34), bic: 'DEUTDEFF', country: 'US', name: NAME },
  { email: `${'a'.repeat(60)}@a-rather-long-name-of-a-host.example` },
];
const AMOUNT = { minor: 999_999_999_999n, asset: 'EUR' };
/** Values as long as they get; of what comes in several forms, all of them. */
const longest = (locale: string): Record<string, readonly string[]> => ({
  code: ['123456'],
  payment: PAYEES.map((destination) => {
    const [target, payee] = [{ ...AMOUNT, asset: 'USD' }, payeeText(destination, '')];
    return approvalText({ amount: AMOUNT, target, payee }, locale);
  }),
  minutes: ['10'],
  number: ['T-1000000'],
  at: ['2026-09-30T12:30:00Z'],
  day: ['2026-09-30'],
  amount: assets.map(({ code }) => `9999999999999.99 ${code}`),
  account: ['0190'],
  card: ['4242'],
});

const Types = z.array(
  z.object({
    code: z.string(),
    channels_allowed: z.array(z.enum(CHANNELS)),
    ttl_seconds: z.number(),
    enabled: z.boolean(),
    variables: z.custom<readonly Variable[]>(),
  }),
);
const Texts = z.array(
  z.object({
    type_code: z.string(),
    channel: z.enum(CHANNELS),
    locale: z.string(),
    subject: z.string().nullable(),
    body: z.string(),
  }),
);

const Codes = z.array(z.object({ code: z.string() }));
const SPEAKER = { BANK_NAME: 'Teller Bank', BANK_TIME_ZONE: 'UTC', publicUrl: 'https://bank.example' };
const NOBODY = { firstName: null, lastName: null };

let books: Books;
let url: string;
let types: z.output<typeof Types>;
let texts: z.output<typeof Texts>;
let assets: readonly { readonly code: string }[];
beforeAll(async () => {
  const database = await ownBank();
  [books, url] = [openBooks(database), database.url];
  types = Types.parse(
    await books.asOwner(
      'select code, channels_allowed, ttl_seconds, enabled, variables from notification_types',
    ),
  );
  assets = Codes.parse(await books.asOwner('select code from assets order by code'));
  texts = Texts.parse(await books.asOwner(`select * from notification_templates where status = 'live'`));
});
afterAll(() => books.close());

test('every event that the code writes has its type, with just its values and its time', () => {
  for (const [code, { values, deliverWithinSeconds }] of Object.entries(messageTemplates)) {
    const type = types.find((each) => each.code === code);
    expect({ code, names: type?.variables.map(({ name }) => name) }).toEqual({ code, names: [...values] });
    expect(type).toMatchObject({ enabled: true, ttl_seconds: deliverWithinSeconds });
  }
});

test('every type that is switched on has a live text on each of its channels, in English and German', () => {
  const expected = types
    .filter(({ enabled }) => enabled)
    .flatMap(({ code, channels_allowed }) =>
      channels_allowed.flatMap((channel) => [`${code} ${channel} de`, `${code} ${channel} en`]),
    );
  expect(texts.map(({ type_code, channel, locale }) => `${type_code} ${channel} ${locale}`).sort()).toEqual(
    expected.sort(),
  );
});

test('every text uses variables of its type only, can be filled, and says no code in its subject', () => {
  for (const text of texts) {
    const { variables } = types.find(({ code }) => code === text.type_code) ?? { variables: [] };
    const mustSay = variables.filter(({ name }) => name === 'code' || name === 'payment');
    const of = `${text.type_code} ${text.channel} ${text.locale}`;
    const faults = faultsOf(text, variables, { mustSay, publicUrl: 'https://bank.example' });
    expect({ of, faults }).toEqual({ of, faults: [] });
  }
});

test('every code and notice is one text message with the longest values, in any currency', () => {
  for (const { type_code, locale, channel, body } of texts) {
    if (channel !== 'sms' || type_code === 'admin_message') continue;
    const { variables } = types.find(({ code }) => code === type_code) ?? { variables: [] };
    const known = longest(locale);
    const first = variables.map(({ name, sample }) => [name, known[name]?.[0] ?? sample] as const);
    const others = variables.flatMap(({ name }) =>
      (known[name] ?? []).map((value) => [name, value] as const),
    );
    for (const other of [[], ...others.map((each) => [each])]) {
      const values = Object.fromEntries([...first, ...other]);
      const asked = { channel, locale, values, variables, timeZone: 'Asia/Kathmandu', ...NOBODY };
      const said = renderText({ locale, subject: null, body }, SPEAKER, asked).body;
      expect({ said, size: smsSize(said) }).toEqual({ said, size: { encoding: 'GSM-7', segments: 1 } });
    }
  }
});

test('no push text that the bank comes with says anything personal', () => {
  const common = COMMON_VARIABLES.filter(({ personal }) => personal);
  for (const { type_code, locale, channel, subject, body } of texts) {
    if (channel !== 'push') continue;
    const of = types.find(({ code }) => code === type_code)?.variables ?? [];
    const personal = [...of.filter((each) => each.personal), ...common].map(({ name }) => name);
    const said = [subject ?? '', body].flatMap((text) => namesIn(text).names.map(({ name }) => name));
    const found = said.filter((name) => name === null || personal.includes(name));
    expect({ type_code, locale, found }).toEqual({ type_code, locale, found: [] });
  }
});

describe('texts defend themselves', () => {
  const NOTHING = `insert into notification_templates (type_code, channel, locale, subject, body, status, updated_by, created_at, updated_at)
    values ('ticket_reply', 'email', 'fr', 'Bonjour', 'Bonjour', 'draft', $1, now(), now()) returning id, version`;

  test('a change makes the next version, and what was said before stays readable', async () => {
    await asAdmin(books, url, ['notifications:write'], async (execute, admin) => {
      const [{ id } = { id: '' }] = await execute(NOTHING, [admin]);
      await execute(`update notification_templates set body = 'Salut', updated_by = $2 where id = $1`, [
        id,
        admin,
      ]);
      const versions = await execute(
        'select version, body from notification_template_versions where template_id = $1 order by version',
        [id],
      );
      expect(versions).toEqual([
        { version: 1, body: 'Bonjour' },
        { version: 2, body: 'Salut' },
      ]);
    });
  });

  test('they are written only for somebody who may, and in their own name', async () => {
    const { NOT_ALLOWED } = ADMIN_RULE;
    await asAdmin(books, url, ['notifications:send'], async (execute, admin) => {
      await expect(execute(NOTHING, [admin])).rejects.toMatchObject({ code: NOT_ALLOWED });
    });
    const other = await books.admin(['notifications:write']);
    await asAdmin(books, url, ['notifications:write'], async (execute) => {
      await expect(execute(NOTHING, [other])).rejects.toMatchObject({ code: NOT_ALLOWED });
    });
    await asAdmin(books, url, ['notifications:read'], async (execute) => {
      await expect(
        execute(`update notification_types set enabled = false where code = 'ticket_reply'`),
      ).rejects.toMatchObject({
        code: NOT_ALLOWED,
      });
    });
  });

  test('what tells a secret has neither the feed nor push messages as a channel', async () => {
    for (const [code, channel] of [
      ['password_reset', 'in_app'],
      ['admin_invited', 'in_app'],
      ['login_code', 'push'],
    ])
      await asAdmin(books, url, ['notifications:write'], async (execute) => {
        const widen = `update notification_types set channels_allowed = channels_allowed || $2::text where code = $1`;
        await expect(execute(widen, [code, channel])).rejects.toMatchObject({ code: ADMIN_RULE.RULE });
      });
  });

  test('a mandatory type is not switched off, and the last text of one of its channels stays', async () => {
    const { RULE } = ADMIN_RULE;
    const off = [
      `update notification_types set enabled = false where code = 'login_code'`,
      `update notification_types set mandatory = false where code = 'login_code'`,
      `update notification_templates set status = 'retired', updated_by = $1 where type_code = 'login_code' and channel = 'sms'`,
    ];
    for (const [place, statement] of off.entries())
      await asAdmin(books, url, ['notifications:write'], async (execute, admin) => {
        await expect(execute(statement, place === 2 ? [admin] : [])).rejects.toMatchObject({ code: RULE });
      });
    await asAdmin(books, url, ['notifications:write'], async (execute, admin) => {
      const one = `update notification_templates set status = 'retired', updated_by = $1
        where type_code = 'login_code' and channel = 'sms' and locale = 'de' returning status`;
      expect(await execute(one, [admin])).toEqual([{ status: 'retired' }]);
    });
  });
});
