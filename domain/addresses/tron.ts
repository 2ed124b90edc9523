/** Addresses of TRON: base58check of 0x41 and the 20 bytes of an address of Ethereum. Test networks write the same. */
import { plain, type ReadForm } from './address.ts';
import { readBase58Check } from './base58-check.ts';

const VERSION = 0x41;

export const readTron: ReadForm = (text) => {
  const payload = readBase58Check(text);
  if (typeof payload === 'string') return payload;
  return payload[0] === VERSION ? plain(text) : 'wrong_network';
};
