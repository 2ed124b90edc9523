/** A shop on the page of the card network: a card pays with one click. The browser keeps the card, the simulator does not. */
import { MERCHANT } from './messages.ts';

export const SHOP = `<h2>Corner shop</h2>
<form id="shop">
  <input name="pan" placeholder="card number" required pattern="[0-9]{12,19}" autocomplete="off">
  <input name="expiry" placeholder="MM/YY" required size="6">
  <input name="cvv" placeholder="code" size="4">
  <input name="amount" value="12.34" size="8">
  <select name="currency"><option>EUR</option><option>USD</option><option>GBP</option></select>
  <select name="entry_mode"><option>chip</option><option>contactless</option><option>ecommerce</option></select>
  <label><input type="checkbox" name="secure"> 3-D Secure</label>
  <button>Pay</button>
</form>
<p id="receipt"></p>
<script>
  const shop = document.getElementById('shop');
  const kept = JSON.parse(localStorage.getItem('card') || '{}');
  for (const [name, value] of Object.entries(kept)) shop.elements[name].value = value;
  const receipt = document.getElementById('receipt');
  const headers = { 'Content-Type': 'application/json' };
  const post = async (path, body) =>
    (await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  const proofOf = async ({ pan, expiry, merchant, billing }) => {
    let asked = await post('/authentications', { pan, expiry, merchant, billing });
    while (asked.status === 'pending') {
      receipt.textContent = 'waits for the holder to approve challenge ' + asked.id;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      asked = await (await fetch('/authentications/' + asked.id)).json();
    }
    if (!asked.proof) receipt.textContent = asked.detail || 'not authenticated: ' + (asked.reason || asked.status);
    return asked.proof;
  };
  shop.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { amount, currency, cvv, secure, ...card } = Object.fromEntries(new FormData(shop));
    localStorage.setItem('card', JSON.stringify({ pan: card.pan, expiry: card.expiry }));
    const merchant = ${JSON.stringify(MERCHANT)};
    const body = { ...card, ...(cvv ? { cvv } : {}), billing: { amount, currency }, merchant };
    const proof = secure ? await proofOf(body) : undefined;
    if (secure && !proof) return;
    const { answers, detail } = await post('/messages', { ...body, proof });
    const [said] = answers || [];
    receipt.textContent = said
      ? said.response_code + ' ' + said.reason + ', answered by the ' + said.answered_by.replace('_', ' ')
      : detail;
  });
</script>`;
