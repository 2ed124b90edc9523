/** The happy paths of checks of companies. */
import {
  companyApplied,
  companyCase,
  companyComplete,
  companyReady,
  KYB_FORM,
} from '../../support/bank/kyb.ts';
import { Case, document, reviewer } from '../../support/bank/kyc.ts';
import type { Bank, Person } from '../../support/bank/bank.ts';
import { pdf } from '../../support/formats/pdfs.ts';
import { newKey } from '../../support/client.ts';
import { perform, type Stories, type Story } from '../story.ts';
import { UploadAnswer } from './tickets.ts';

const FILE = { document_type: 'articles', file_name: 'articles.pdf', content_type: 'application/pdf' };

const office = (bank: Bank): Promise<Person> => bank.admin('compliance:read');

/** A call of a reviewer about a document. */
const aboutDocument =
  (at: string, body?: object, otherBody?: object): Story =>
  async (bank) => {
    const applicant = await companyComplete(bank);
    const admin = await reviewer(bank);
    const [first] = (await companyCase(admin, applicant)).as(Case).documents;
    const path = `/v1/admin/kyb/applications/${applicant.id}/documents/${first?.document_id ?? ''}/${at}`;
    return perform(
      admin,
      { method: 'POST', path, ...(body === undefined ? {} : { body, key: newKey() }) },
      otherBody === undefined ? {} : { otherBody },
    );
  };

export const kyb: Stories = {
  submitKybApplication: async (bank) =>
    perform(
      await bank.customer(),
      { method: 'POST', path: '/v1/kyb/applications', key: newKey(), body: KYB_FORM },
      { otherBody: { ...KYB_FORM, legal_name: 'Other GmbH' } },
    ),
  getMyKybApplication: async (bank) => {
    const { person } = await companyComplete(bank);
    return perform(person, { method: 'GET', path: '/v1/kyb/applications/me' });
  },
  withdrawKybApplication: async (bank) => {
    const { person, id } = await companyApplied(bank);
    const made = { method: 'POST', path: `/v1/kyb/applications/${id}/withdraw`, key: newKey() } as const;
    return perform(person, made, { stranger: { token: (await bank.customer()).token } });
  },
  recordKybDocument: async (bank) => {
    const { person, id } = await companyApplied(bank);
    const path = `/v1/kyb/applications/${id}/documents`;
    const body = document('articles');
    const stranger = { token: (await bank.customer()).token };
    const made = { method: 'POST', path, key: newKey(), body } as const;
    return perform(person, made, { stranger, otherBody: { ...body, file_name: 'other.pdf' } });
  },
  requestKybDocumentUpload: async (bank) => {
    const { person, id } = await companyApplied(bank);
    const path = `/v1/kyb/applications/${id}/documents/upload-url`;
    const stranger = { token: (await bank.customer()).token };
    return perform(person, { method: 'POST', path, body: FILE }, { stranger });
  },
  confirmKybDocument: async (bank) => {
    const { person, id } = await companyApplied(bank);
    const root = `/v1/kyb/applications/${id}/documents`;
    const asked = await person.client.call('POST', `${root}/upload-url`, { token: person.token, body: FILE });
    const upload = asked.as(UploadAnswer);
    const body = Uint8Array.from(pdf());
    await fetch(upload.upload_url, { method: 'PUT', headers: upload.upload_headers, body });
    const made = { method: 'POST', path: `${root}/${upload.document_id}/confirm` } as const;
    return perform(person, made, { stranger: { token: (await bank.customer()).token } });
  },
  listKybApplications: async (bank) => {
    const { person } = await companyApplied(bank);
    const query = { user_id: person.id };
    return perform(await office(bank), { method: 'GET', path: '/v1/admin/kyb/applications', query });
  },
  countKybApplications: async (bank) => {
    const { person } = await companyApplied(bank);
    const query = { user_id: person.id };
    return perform(await office(bank), { method: 'GET', path: '/v1/admin/kyb/applications/count', query });
  },
  getKybApplication: async (bank) => {
    const { id } = await companyComplete(bank);
    return perform(await office(bank), { method: 'GET', path: `/v1/admin/kyb/applications/${id}` });
  },
  getKybApplicationOfUser: async (bank) => {
    const { person } = await companyComplete(bank);
    const path = `/v1/admin/users/${person.id}/kyb/application`;
    return perform(await office(bank), { method: 'GET', path });
  },
  reviewKybApplication: async (bank) => {
    const admin = await reviewer(bank);
    const { id } = await companyReady(bank, admin);
    const path = `/v1/admin/kyb/applications/${id}/review`;
    const body = { decision: 'approve', note: 'Compared with the register' };
    return perform(
      admin,
      { method: 'POST', path, key: newKey(), body },
      {
        otherBody: { decision: 'reject', note: 'Another' },
        another: async () => `/v1/admin/kyb/applications/${(await companyReady(bank, admin)).id}/review`,
      },
    );
  },
  reviewKybDocument: aboutDocument('review', { decision: 'accept' }, { decision: 'reject' }),
  openKybDocument: aboutDocument('link'),
};
