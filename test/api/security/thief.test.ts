/** One administrator's session with every permission, in the hands of a thief: no money, no looser limit or rule, no helper who can approve. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { operations } from '../../../api/operations.ts';
import {
  openBank,
  TransferAnswer,
  type AccountAnswer,
  type Bank,
  type Person,
} from '../../support/bank/bank.ts';
import { approvedCall, ChangeAnswer, decideOn } from '../../support/bank/second-person.ts';
import { newPayment } from '../../support/bank/card-network.ts';
import { newDepositUnderReview } from '../../support/bank/coins.ts';
import { cardPlan } from '../../support/bank/cards.ts';
import { newKey, type Answered, type CallOptions, type Method } from '../../support/client.ts';
import { transferType } from '../../support/bank/transfers.ts';

const Money = (amount: string, currency = 'EUR') => ({ amount, currency });

let bank: Bank;
let thief: Person;
/** A customer who shares with the thief. */
let friend: Person;
let account: AccountAnswer;

beforeAll(async () => {
  bank = openBank();
  const all = operations.flatMap(({ access }) =>
    access.auth === 'admin' && access.permission !== null ? [access.permission] : [],
  );
  const permissions = [...new Set(all)];
  // an honest colleague, so that there is somebody to ask
  [thief] = [await bank.admin(...permissions), await bank.admin(...permissions)];
  friend = await bank.customer();
  account = await bank.fundedAccount(friend, '50.00');
});
afterAll(() => bank.close());

const as = (person: Person, method: Method, path: string, options: CallOptions = {}): Promise<Answered> =>
  person.client.call(method, path, { token: person.token, ...options });
const post = (path: string, body: object = {}) => as(thief, 'POST', path, { key: newKey(), body });
const balance = async () => (await bank.look(friend, account)).balance;

/** What waits for a second administrator; the thief tries each. */
const WAITS = [
  ...[
    'setAccountLimits',
    'upsertFxRate',
    'updateTransferType',
    'createAccountType',
    'updateAccountType',
    'createFeeRule',
  ],
  ...['updateFeeRule', 'promoteUser', 'grantPermissions', 'createAdminUser', 'setUserStatus'],
  'sendNotificationType',
  ...['updateCardPaymentSystem', 'createCardProduct', 'updateCardProduct', 'releaseCardPaymentAsAdmin'],
  ...['createAmlRule', 'updateAmlRule', 'deleteAmlRule', 'putAmlValueList'],
  ...['overrideCustomerRisk', 'updateRiskFactor'],
  ...['updateCryptoAsset', 'updateCryptoNetwork', 'putCryptoLimits', 'releaseCryptoDeposit'],
];

/** What gives no money and no power, and why. */
const HARMLESS: Readonly<Record<string, string>> = {
  approveChange: 'is what the thief tries on each change, and is refused',
  rejectChange: 'leaves everything as it is',
  withdrawChange: 'leaves everything as it is',
  createAdjustment: 'waits to be executed, which the thief tries',
  reverseTransfer: 'waits to be executed, which the thief tries',
  executePendingTransfer: 'is refused for what one has asked for, and otherwise moves what a customer has',
  rejectPendingTransfer: 'gives back what was held',
  cancelPendingTransfer: 'gives back what was held',
  raiseAmlFlag: 'tightens',
  clearAmlFlag:
    'is refused for one’s own flag, which the thief tries; whoever raised another one has looked first',
  revokePermissions: 'takes power away, never one’s own',
  revealUser: 'shows, and is written down',
  updateUser: 'does not change a login',
  resendInvitation: 'goes to the mailbox that two have approved',
  reviewAccountRequest: 'opens an account without money, of a type that two have approved',
  openAccountForUser:
    'opens an account without money; the overdraft of its type is one that two have approved',
  setAccountStatus: 'neither makes money nor moves it; that one may lift the block of another is accepted',
  deleteAccountType: 'takes away what nobody uses',
  issueCardAsAdmin:
    'goes to the customer whose account it is, of a product that two have approved; nobody here sees its number',
  openAccountAndIssueCardForUser: 'as the two that it consists of; never one’s own',
  updateCardAsAdmin: 'neither makes money nor moves it; that one may lift the block of another is accepted',
  closeCardAsAdmin: 'tightens',
  decideCardDispute:
    'gives never oneself, up to a sum for which one is enough, and only until the network has decided',
  reviewKycApplication:
    'is refused for one’s own; that one may approve a customer whose documents bear no risk is accepted',
  reviewKycDocument: 'is refused for one’s own, and approves nothing yet',
  openKycDocument: 'shows, and is written down',
  reviewKybApplication:
    'is refused for one’s own, and approves no company before each of its people is; that one may approve a company without risk is accepted',
  reviewKybDocument: 'is refused for one’s own, and approves nothing yet',
  openKybDocument: 'shows, and is written down',
  checkKycMrz: 'shows how two texts compare, and keeps nothing',
  createCardPaymentSystem: 'gives no number to a card before two have approved a product of it',
  testAmlRule: 'shows',
  backtestAmlRule: 'shows',
  createAmlValueList: 'is read by no rule yet',
  resolveAmlFlag:
    'lets go what a rule has held, if somebody else raised the flag and pays; a critical one takes two reviewers',
  confirmAmlFlag: 'tightens, and takes two reviewers',
  assignAmlFlag: 'names somebody who may review',
  escalateAmlFlag: 'asks for help',
  commentAmlFlag: 'says something',
  attachToAmlFlag: 'adds a file',
  fileAmlReport: 'notes a reference',
  replyToTicket: 'says something',
  closeTicket: 'ends a conversation',
  attachToMessageAsAdmin: 'adds a file',
  requestAttachmentUploadAsAdmin: 'adds a file',
  confirmAttachmentUploadAsAdmin: 'adds a file',
  createNotificationType: 'says nothing without a text',
  updateNotificationType: 'leaves a mandatory type on, and its texts and values as they are',
  createNotificationTemplate:
    'a text links to the bank only; that of a code says what it confirms, and shows it on no locked screen',
  updateNotificationTemplate: 'as for a new one; the version before stays',
  deleteNotificationTemplate: 'leaves one text of each channel of a mandatory type',
  rollBackTemplate: 'says what was checked before',
  testSendTemplate: 'goes to oneself',
  sendAdminMessage:
    'says something in the name of the bank, with links to it only; ten a day, and written down',
  agreeToScreeningList:
    'puts a file into force that somebody has loaded on the machine of the bank; they are the first person',
  searchScreeningLists: 'shows who stands on a list, and keeps nothing',
  stopAnnouncement: 'says less',
  liftSuppressedAddress: 'lets mail go to an address that its owner has given',
  compareScreeningNames: 'shows how two names compare, and keeps nothing',
  refreshCryptoWallet: 'asks the custodian what a wallet holds, and is written down',
  resetCryptoBreaker: 'lets a coin be traded at what its sources say, of which none is the thief',
  decodePayloads: 'shows',
  startReading: 'shows',
  stopReading: 'ends what shows',
};

/** Tries to put a rule live, to end one, and to empty the list that it reads. The rules are for movements that no test makes. */
async function withoutTheWatch(code: string): Promise<Record<string, Answered>> {
  const condition = { left: { field: 'counterparty' }, op: 'in', right: { list: code.slice(0, 40) } };
  const terms = { name: 'Nobody', severity: 'low', action: 'flag', applies_to: ['crypto_withdrawal'] };
  const [list, made, ended] = [code.slice(0, 40), `m${code}`.slice(0, 40), `e${code}`.slice(0, 40)];
  await bank.asOwner(`insert into aml_value_lists (code, entries) values ($1, '{a,b}')`, [list]);
  const ids = [randomUUID(), randomUUID()];
  for (const [place, id] of ids.entries()) {
    await bank.asOwner('insert into aml_rules (id, code) values ($1, $2)', [id, `${ended}${place}`]);
    await bank.asOwner(
      `insert into aml_rule_versions (rule_id, version, name, severity, action, applies_to, condition)
       values ($1, 1, 'Nobody', 'low', 'flag', '{crypto_withdrawal}', $2)`,
      [id, JSON.stringify(condition)],
    );
    await bank.asOwner(`update aml_rules set status = 'live' where id = $1`, [id]);
  }
  const [first = '', second = ''] = ids.map((id) => `/v1/admin/aml/rules/${id}`);
  return {
    createAmlRule: await post('/v1/admin/aml/rules', { code: made, ...terms, condition, status: 'live' }),
    updateAmlRule: await as(thief, 'PATCH', first, { body: { status: 'shadow' } }),
    deleteAmlRule: await as(thief, 'DELETE', second),
    putAmlValueList: await as(thief, 'PUT', `/v1/admin/aml/value-lists/${list}`, {
      body: { entries: ['a'] },
    }),
  };
}

/** Tries to make somebody a low risk, and to rate nobody by the country. */
async function withoutRisk(helper: Person): Promise<Record<string, Answered>> {
  const until = new Date(Date.now() + 86_400_000).toISOString();
  return {
    overrideCustomerRisk: await as(thief, 'PUT', `/v1/admin/users/${helper.id}/risk/override`, {
      body: { level: 'low', until, reason: 'A friend' },
    }),
    updateRiskFactor: await as(thief, 'PATCH', '/v1/admin/compliance/risk-factors/suspicion_confirmed', {
      body: { enabled: false, reason: 'A friend' },
    }),
  };
}

/** Tries to sell coins at any price, to take those of others for a token, to give away what nobody claims, and to withdraw without limit. */
async function withoutPrices(): Promise<Record<string, Answered>> {
  return {
    updateCryptoAsset: await as(thief, 'PATCH', '/v1/admin/crypto/assets/USDT', {
      body: { enabled: true, spread_bps: 0, breaker_bps: 10_000 },
    }),
    updateCryptoNetwork: await as(thief, 'PATCH', '/v1/admin/crypto/networks/USDT/polygon', {
      body: { contract: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', enabled: true },
    }),
    putCryptoLimits: await as(thief, 'PUT', '/v1/admin/crypto/limits/withdrawal', {
      body: { limits: [] },
    }),
    releaseCryptoDeposit: await post(
      `/v1/admin/crypto/deposits/${await newDepositUnderReview(bank)}/release`,
      {
        ...{ user_id: friend.id, reason: 'A gift' },
      },
    ),
  };
}

test('every operation with which an administrator changes something is tried, or does no harm', () => {
  const changing = operations.filter(({ access, effect }) => access.auth === 'admin' && effect !== 'read');
  expect(changing.map(({ id }) => id).toSorted()).toEqual([...WAITS, ...Object.keys(HARMLESS)].toSorted());
  const guarded = changing.filter(({ guard }) => guard !== null).map(({ id }) => id);
  expect(guarded.toSorted()).toEqual(WAITS.toSorted());
});

test('loosens nothing, whatever they try and however often they approve', async () => {
  const [helper, colleague, accomplice] = [
    await bank.customer(),
    await bank.admin('tickets:read'),
    await bank.admin('transfers:review'),
  ];
  await bank.asOwner(`update users set status = 'blocked' where id = $1`, [accomplice.id]);
  const code = `t${newKey().replaceAll('-', '')}`;
  const terms = { name: 'Generous', currency: 'EUR', openable_by: 'customer' };
  const rule = (more: string) => ({
    ...{ code: `${more}${code}`.slice(0, 30), purpose: 'transfer', currency: 'MVR', description: 'A fee' },
    flat: Money('5.00', 'MVR'),
  });
  const open = { currencies: [{ currency: 'EUR', approval_above: Money('9000000.00') }], limits: [] };
  const [type] = await bank.asOwner(
    `insert into account_types (id, code, name, asset, openable_by) values (uuidv7(), $1, 'Plain', 'EUR', 'request') returning id`,
    [`p${code}`],
  );
  const { id: fee } = (
    await approvedCall(bank, await bank.admin('fees:write'), 'POST', '/v1/admin/fee-rules', {
      ...{ key: newKey(), body: rule('h') },
    })
  ).as(ChangeAnswer.pick({ id: true }));
  const cards = await cardPlan(bank);
  const tried = {
    setAccountLimits: await as(thief, 'PATCH', `/v1/admin/accounts/${account.id}/limits`, {
      body: { overdraft_limit: Money('1000000.00'), reason: 'salary' },
    }),
    upsertFxRate: await as(thief, 'PUT', '/v1/admin/fx-rates/EUR/TND', { body: { rate: '1082.5' } }),
    updateTransferType: await as(thief, 'PATCH', `/v1/admin/transfer-types/${await transferType(bank)}`, {
      body: open,
    }),
    createAccountType: await post('/v1/admin/account-types', {
      ...terms,
      code,
      overdraft_limit: Money('9999.00'),
    }),
    updateAccountType: await as(thief, 'PATCH', `/v1/admin/account-types/${String(type?.['id'])}`, {
      body: { overdraft_limit: Money('9999.00') },
    }),
    createFeeRule: await post('/v1/admin/fee-rules', rule('r')),
    updateFeeRule: await as(thief, 'PATCH', `/v1/admin/fee-rules/${fee}`, {
      body: { flat: Money('0.00', 'MVR') },
    }),
    promoteUser: await post(`/v1/admin/users/${helper.id}/promote`, { actions: ['transfers:review'] }),
    grantPermissions: await post(`/v1/admin/users/${colleague.id}/permissions`, {
      actions: ['permissions:write'],
    }),
    createAdminUser: await post('/v1/admin/users', {
      ...{ email: `h-${randomUUID()}@bank.test`, first_name: 'H', last_name: 'Elper' },
      permissions: ['accounts:write'],
    }),
    setUserStatus: await as(thief, 'PATCH', `/v1/admin/users/${accomplice.id}/status`, {
      body: { status: 'active', reason: 'a mistake' },
    }),
    sendNotificationType: await post('/v1/admin/notification-types/announcement/send', {
      all: true,
      variables: { title: 'News', body: 'Pay your fees to me.' },
    }),
    updateCardPaymentSystem: await as(thief, 'PATCH', `/v1/admin/card-payment-systems/${cards.systemId}`, {
      body: { iin_ranges: [{ first: '411111111111111', last: '411111111111112' }] },
    }),
    createCardProduct: await post('/v1/admin/card-products', {
      ...{ code, name: 'Gold', kind: 'virtual', currency: 'EUR', payment_system_id: cards.systemId },
    }),
    updateCardProduct: await as(thief, 'PATCH', `/v1/admin/card-products/${cards.productId}`, {
      body: { limits: [] },
    }),
    releaseCardPaymentAsAdmin: await post(`/v1/admin/card-payments/${await newPayment(bank)}/release`, {
      reason: 'A gift',
    }),
    ...(await withoutTheWatch(code)),
    ...(await withoutRisk(helper)),
    ...(await withoutPrices()),
  };
  expect(Object.keys(tried)).toEqual(WAITS);
  const changes = Object.entries(tried).map(([id, answer]) => {
    expect({ id, status: answer.status }).toEqual({ id, status: 202 });
    return answer.as(ChangeAnswer);
  });
  for (const change of changes)
    expect((await decideOn(thief, change, 'approve')).body).toMatchObject({
      status: 403,
      code: 'same_person',
    });
  const [made] = await bank.asOwner(
    `select (select count(*) from account_types where code = $1 or (code = $3 and overdraft_limit <> 0))
        + (select count(*) from fx_rates where created_by = $2) + (select count(*) from fee_rule_versions where created_by = $2)
        + (select count(*) from empowerments where empowered_by = $2)
        + (select count(*) from announcements where created_by = $2)
        + (select count(*) from accounts where id = $4 and overdraft_limit <> 0)
        + (select count(*) from users where id = $5 and status <> 'blocked')
        + (select count(*) from accounts where owner_id = $6 and kind = 'coin')
        + (select count(*) from card_products where code = $1) + (select count(*) from card_product_versions where created_by = $2)
        + (select count(*) from card_payment_system_versions where created_by = $2) as count`,
    [code, thief.id, `p${code}`, account.id, accomplice.id, friend.id],
  );
  expect(made).toEqual({ count: '0' });
  for (const change of changes) expect((await decideOn(thief, change, 'withdraw')).status).toBe(200);
  await bank.asOwner('delete from account_types where code = $1', [`p${code}`]);
});

test('makes no money: neither an adjustment nor a reversal is executed by the thief, nor by a helper of theirs', async () => {
  const paid = await bank.transfer(friend, {
    ...{ from: account.id, to: (await bank.account(await bank.customer())).id, amount: '20.00' },
  });
  expect(paid.body).toMatchObject({ status: 'executed' });
  const before = await balance();
  const helper = await bank.customer();
  // without an action that decides a helper comes in at once
  expect((await post(`/v1/admin/users/${helper.id}/promote`, { actions: ['transfers:read'] })).status).toBe(
    200,
  );
  const asked = [
    await post('/v1/admin/adjustments', {
      ...{ account_id: account.id, direction: 'credit', amount: Money('123456.00'), reason: 'a gift' },
    }),
    await post(`/v1/admin/transfers/${paid.as(TransferAnswer).id}/reverse`, { reason: 'a mistake' }),
  ];
  for (const answer of asked) {
    const { id, status } = answer.as(TransferAnswer);
    expect(status).toBe('pending_approval');
    for (let time = 0; time < 2; time += 1)
      expect((await post(`/v1/admin/transfers/${id}/execute`)).body).toMatchObject({
        status: 403,
        code: 'same_person',
      });
    // not even with the action: who was given it by the thief is no second person
    await bank.asOwner(
      `insert into user_permissions (user_id, action, granted_by) values ($1, 'transfers:review', $2) on conflict do nothing`,
      [helper.id, thief.id],
    );
    const [verdict] = await bank.asOwner(
      `select refusal from transfer_decision_accept($1, uuidv7(), 'execute', $2, 'for a friend', 'test')`,
      [id, helper.id],
    );
    expect(verdict).toEqual({ refusal: 'same_person' });
    expect((await post(`/v1/admin/transfers/${id}/reject`, { reason: 'the end' })).status).toBe(200);
  }
  expect(await balance()).toEqual(before);
});

test('does not clear the flag that they have raised', async () => {
  const watched = await bank.account(friend);
  const path = `/v1/admin/accounts/${watched.id}/aml-flag`;
  expect((await post(path, { reason: 'odd', freeze: true })).status).toBe(201);
  expect((await post(`${path}/clear`, { reason: 'fine' })).body).toMatchObject({
    status: 403,
    code: 'same_person',
  });
});

test('gives themselves nothing, and lets nobody in by another address', async () => {
  expect(
    (await post(`/v1/admin/users/${thief.id}/permissions`, { actions: ['transfers:review'] })).body,
  ).toMatchObject({
    ...{ status: 403, code: 'same_person' },
  });
  const mine = { email: 'thief@bank.test' };
  for (const body of [mine, { role: 'admin' }, { password: 'long enough a password' }, { status: 'active' }])
    expect((await as(thief, 'PATCH', `/v1/admin/users/${friend.id}`, { body })).status).toBe(400);
});
