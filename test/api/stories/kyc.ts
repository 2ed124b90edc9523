/** The happy paths of identity checks. */
import { z } from 'zod';
import {
  KYC_FORM,
  acceptAll,
  applied,
  approved,
  caseOf,
  complete,
  document,
  reviewer,
} from '../../support/bank/kyc.ts';
import type { Bank, Person } from '../../support/bank/bank.ts';
import { pdf } from '../../support/formats/pdfs.ts';
import { newKey } from '../../support/client.ts';
import { perform, performBesideAnother, type Made, type Stories, type Story } from '../story.ts';
import { UploadAnswer } from './tickets.ts';

const FILE = { document_type: 'passport', file_name: 'passport.pdf', content_type: 'application/pdf' };

/** A customer's call that names nothing. */
const own =
  ({ method, path, body, key }: Omit<Made, 'token'>, otherBody?: object): Story =>
  async (bank) =>
    perform(
      await bank.customer(),
      {
        method,
        path,
        ...(body === undefined ? {} : { body }),
        ...(key === undefined ? {} : { key: newKey() }),
      },
      otherBody === undefined ? {} : { otherBody },
    );

const office = (bank: Bank): Promise<Person> => bank.admin('compliance:read');

/** An application that could be approved, and who does so. */
async function reviewed(bank: Bank) {
  const applicant = await complete(bank);
  const admin = await reviewer(bank);
  await acceptAll(admin, applicant);
  return { admin, ...applicant };
}

const Documented = z.looseObject({ documents: z.array(z.looseObject({ document_id: z.uuid() })) });

/** A call of a reviewer about a document. */
const aboutDocument =
  (at: string, body?: object, otherBody?: object): Story =>
  async (bank) => {
    const applicant = await complete(bank);
    const admin = await reviewer(bank);
    const [first] = Documented.parse(await caseOf(admin, applicant)).documents;
    const path = `/v1/admin/kyc/applications/${applicant.id}/documents/${first?.document_id ?? ''}/${at}`;
    return perform(
      admin,
      { method: 'POST', path, ...(body === undefined ? {} : { body, key: newKey() }) },
      otherBody === undefined ? {} : { otherBody },
    );
  };

export const kyc: Stories = {
  submitKycApplication: own(
    { method: 'POST', path: '/v1/kyc/applications', body: KYC_FORM, key: '' },
    { ...KYC_FORM, first_name: 'Bea' },
  ),
  getMyKycApplication: own({ method: 'GET', path: '/v1/kyc/applications/me' }),
  getKycDraft: own({ method: 'GET', path: '/v1/kyc/draft' }),
  saveKycDraft: own({ method: 'PUT', path: '/v1/kyc/draft', body: { occupation: 'Engineer' } }),
  // whether somebody can skip it depends on the account types of the bank, which all stories share
  skipKyc: async (bank) => {
    const person = await bank.customer();
    await bank.asOwner(`update users set kyc_status = 'skipped' where id = $1`, [person.id]);
    return perform(person, { method: 'POST', path: '/v1/kyc/skip', key: newKey() });
  },
  withdrawKycApplication: async (bank) => {
    const { person, id } = await applied(bank);
    const made = { method: 'POST', path: `/v1/kyc/applications/${id}/withdraw`, key: newKey() } as const;
    return perform(person, made, { stranger: { token: (await bank.customer()).token } });
  },
  recordKycDocument: async (bank) => {
    const { person, id } = await applied(bank);
    const path = `/v1/kyc/applications/${id}/documents`;
    const body = document('passport');
    const stranger = { token: (await bank.customer()).token };
    const made = { method: 'POST', path, key: newKey(), body } as const;
    return perform(person, made, { stranger, otherBody: { ...body, file_name: 'other.pdf' } });
  },
  requestKycDocumentUpload: async (bank) => {
    const { person, id } = await applied(bank);
    const path = `/v1/kyc/applications/${id}/documents/upload-url`;
    const stranger = { token: (await bank.customer()).token };
    return perform(person, { method: 'POST', path, body: FILE }, { stranger });
  },
  confirmKycDocument: async (bank) => {
    const { person, id } = await applied(bank);
    const root = `/v1/kyc/applications/${id}/documents`;
    const asked = await person.client.call('POST', `${root}/upload-url`, { token: person.token, body: FILE });
    const upload = asked.as(UploadAnswer);
    await fetch(upload.upload_url, {
      method: 'PUT',
      headers: upload.upload_headers,
      body: Uint8Array.from(pdf()),
    });
    const made = { method: 'POST', path: `${root}/${upload.document_id}/confirm` } as const;
    return perform(person, made, { stranger: { token: (await bank.customer()).token } });
  },
  listKycApplications: async (bank) => {
    const { person } = await applied(bank);
    const query = { user_id: person.id };
    return perform(await office(bank), { method: 'GET', path: '/v1/admin/kyc/applications', query });
  },
  countKycApplications: async (bank) => {
    const { person } = await applied(bank);
    const query = { user_id: person.id };
    return perform(await office(bank), { method: 'GET', path: '/v1/admin/kyc/applications/count', query });
  },
  getKycApplication: async (bank) => {
    const { id } = await approved(bank);
    return perform(await office(bank), { method: 'GET', path: `/v1/admin/kyc/applications/${id}` });
  },
  getKycApplicationOfUser: async (bank) => {
    const { person } = await applied(bank);
    const path = `/v1/admin/users/${person.id}/kyc/application`;
    return perform(await office(bank), { method: 'GET', path });
  },
  getCustomerRisk: async (bank) => {
    const { person } = await approved(bank);
    return perform(await office(bank), { method: 'GET', path: `/v1/admin/users/${person.id}/risk` });
  },
  overrideCustomerRisk: async (bank) => {
    const path = `/v1/admin/users/${(await bank.customer()).id}/risk/override`;
    const until = new Date(Date.now() + 86_400_000).toISOString();
    const body = { level: 'high', until, reason: 'Lives beyond their means' };
    return performBesideAnother(bank, await bank.admin('compliance:review'), { method: 'PUT', path, body });
  },
  listRiskFactors: async (bank) =>
    perform(await office(bank), { method: 'GET', path: '/v1/admin/compliance/risk-factors' }),
  updateRiskFactor: async (bank) => {
    const path = '/v1/admin/compliance/risk-factors/new_company';
    const body = { points: 15, reason: 'Annual review' };
    return performBesideAnother(bank, await bank.admin('aml:write'), { method: 'PATCH', path, body });
  },
  reviewKycApplication: async (bank) => {
    const { admin, id } = await reviewed(bank);
    const path = `/v1/admin/kyc/applications/${id}/review`;
    const body = { decision: 'approve', note: 'Compared with the passport' };
    return perform(
      admin,
      { method: 'POST', path, key: newKey(), body },
      {
        otherBody: { decision: 'reject', note: 'Another' },
        another: async () => `/v1/admin/kyc/applications/${(await reviewed(bank)).id}/review`,
      },
    );
  },
  reviewKycDocument: aboutDocument('review', { decision: 'accept' }, { decision: 'reject' }),
  checkKycMrz: async (bank) => {
    const { id } = await applied(bank);
    const path = `/v1/admin/kyc/applications/${id}/mrz`;
    const lines = [
      'P<GBRSMITH<<ANN<<<<<<<<<<<<<<<<<<<<<<<<<<<<<',
      'C01X00T478GBR9004028F4405319<<<<<<<<<<<<<<00',
    ];
    return perform(await office(bank), { method: 'POST', path, body: { lines } });
  },
  openKycDocument: aboutDocument('link'),
};
