/** Addresses that customers send coins to. */
import { checkedDestination } from '../../../services/crypto/addresses.ts';
import { forUsers } from '../../declaration/operation.ts';
import { patchOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

export const checkCryptoAddress = forUsers({
  id: 'checkCryptoAddress',
  area: 'Crypto',
  title: 'Check crypto address',
  description:
    'Says whether a coin can be sent to an address, before anything moves: its form and checksum, the network, whether anybody owns it, and the memo. A text that looks like a private key or a seed is refused and kept nowhere.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/crypto/addresses/check',
  effect: 'own_transactions',
  body: wire.CryptoAddressCheckRequest,
  status: 200,
  answer: wire.CryptoAddressCheck,
  refuses: ['looks_like_a_secret'],
  beyond: true,
  async handle(request) {
    const { memo, memo_type: type = null, ...wanted } = request.body;
    const given = memo === undefined ? null : { value: memo, type };
    const checked = await checkedDestination(request, { ...patchOf(wanted), memo: given });
    if (typeof checked === 'string')
      return { valid: false, reason: checked, address: null, memo: null, memo_type: null };
    return {
      ...{ valid: true, reason: null, address: checked.address },
      ...{ memo: checked.memo?.value ?? null, memo_type: checked.memo?.type ?? null },
    };
  },
});

/** In the order of the documentation. */
export const operations = [checkCryptoAddress];
