/** The part of the page that is the custodian's own: vaults, transactions and chains, with forms for deposits and blocks. */
import { escapedHtml } from '../../../domain/standards/html.ts';
import { table } from '../../simulators/page.ts';
import { ASSETS, NETWORKS } from '../assets.ts';
import type { World } from '../state/world.ts';
import { shownChain, shownTransaction, shownVault } from './routes.ts';

const MOST_TRANSACTIONS = 30;

/** HTML for the page. */
export function custodianPage(world: World): string {
  const vaults = [...world.vaults.values()].map((vault) => shownVault(world, vault));
  const wallets = vaults.flatMap(({ id, name, assets }) =>
    assets.map(({ asset, total, available, pending, locked, addresses }) => [
      ...[id, name, asset, total, available, pending, locked],
      addresses.map(({ address, tag }) => (tag === '' ? address : `${address} tag ${tag}`)).join(', '),
    ]),
  );
  const transactions = [...world.transactions.values()]
    .toSorted((a, b) => b.createdAt - a.createdAt)
    .slice(0, MOST_TRANSACTIONS)
    .map((row) => {
      const shown = shownTransaction(world, row);
      const confirmed = `${String(shown.confirmations)} of ${String(shown.required_confirmations)}`;
      return [
        ...[shown.id, `${row.source.type} ${row.source.id}`, `${row.destination.type} ${row.destination.id}`],
        ...[
          `${shown.amount} ${shown.asset}`,
          shown.network_fee,
          `${shown.status} ${shown.sub_status}`,
          confirmed,
        ],
      ];
    });
  const chains = NETWORKS.map((name) => {
    const { network, height, hash, rate } = shownChain(world, name);
    return [network, String(height), hash, rate];
  });
  return `
<h2>Vaults</h2>
${table(['vault', 'name', 'asset', 'total', 'available', 'pending', 'locked', 'addresses'], wallets)}
<form data-path="/deposits">
  <select name="vault_id">${vaults.map(({ id, name }) => option(id, `${id} ${name}`)).join('')}</select>
  <select name="asset">${[...ASSETS.keys()].map((id) => option(id, id)).join('')}</select>
  <input name="amount" value="1" size="12">
  <button>Deposit</button>
</form>
<h2>Transactions, newest first</h2>
${table(['id', 'from', 'to', 'amount', 'network fee', 'status', 'confirmations'], transactions)}
<h2>Chains</h2>
${table(['network', 'height', 'hash', 'lowest price'], chains)}
<form data-path="/blocks">
  <select name="network">${NETWORKS.map((network) => option(network, network)).join('')}</select>
  <input name="count" type="number" min="1" value="1">
  <button>Mine</button>
</form>
<script>
  for (const form of document.querySelectorAll('form[data-path]'))
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const { count, ...fields } = Object.fromEntries(new FormData(form));
      const body = JSON.stringify({ ...fields, ...(count && { count: Number(count) }) });
      const headers = { 'Content-Type': 'application/json' };
      const answer = await fetch(form.dataset.path, { method: 'POST', headers, body });
      if (answer.ok) location.reload();
      else alert(await answer.text());
    });
</script>
`;
}

function option(value: string, text: string): string {
  return `<option value="${escapedHtml(value)}">${escapedHtml(text)}</option>`;
}
