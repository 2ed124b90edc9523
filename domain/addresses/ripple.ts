/** Addresses of the XRP Ledger: of the classic form, or X-addresses (XLS-5d), which hold a tag and name the network. */
import {
  classicAddressToXAddress,
  isValidClassicAddress,
  isValidXAddress,
  xAddressToClassicAddress,
} from 'ripple-address-codec';
import { plain, type ReadForm } from './address.ts';

const CLASSIC = /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/;
const X_ADDRESS = /^[XT][1-9A-HJ-NP-Za-km-z]{46}$/;

export const readRipple: ReadForm = (text, chains) => {
  if (CLASSIC.test(text)) return isValidClassicAddress(text) ? plain(text) : 'bad_checksum';
  if (!X_ADDRESS.test(text)) return 'not_an_address';
  if (!isValidXAddress(text)) return 'bad_checksum';
  const { classicAddress: address, tag, test } = xAddressToClassicAddress(text);
  // the codec overlooks what stands in the bytes for tags of 64 bits, which nobody uses
  if (classicAddressToXAddress(address, tag, test) !== text) return 'not_an_address';
  if (test !== (chains === 'testnet')) return 'wrong_network';
  return { address, memo: tag === false ? null : { type: 'tag', value: String(tag) } };
};
