/** Invitations of administrators, as their mail tells of them. */
import { mailboxOf } from '../stack/inbox.ts';

/** The code of the newest invitation in somebody's mail that has not been read yet; `mailbox` where several come. */
export async function invitationCode(address: string, mailbox = mailboxOf(address)): Promise<string> {
  for (;;) {
    const code = /^[\w-]{43}$/m.exec((await mailbox.next()).text)?.[0];
    if (code !== undefined) return code;
  }
}
