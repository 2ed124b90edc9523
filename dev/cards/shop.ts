/** A shop on the page of the card network: a card pays with one click. The browser keeps the card, the simulator does not. */
export const SHOP = `<h2>Corner shop</h2>
<form id="shop">
  <input name="pan" placeholder="card number" required pattern="[0-9]{12,19}" autocomplete="off">
  <input name="expiry" placeholder="MM/YY" required size="6">
  <input name="cvv" placeholder="code" size="4">
  <input name="amount" value="12.34" size="8">
  <select name="currency"><option>EUR</option><option>USD</option><option>GBP</option></select>
  <select name="entry_mode"><option>chip</option><option>contactless</option><option>ecommerce</option></select>
  <button>Pay</button>
</form>
<p id="receipt"></p>
<script>
  const shop = document.getElementById('shop');
  const kept = JSON.parse(localStorage.getItem('card') || '{}');
  for (const [name, value] of Object.entries(kept)) shop.elements[name].value = value;
  shop.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { amount, currency, cvv, ...card } = Object.fromEntries(new FormData(shop));
    localStorage.setItem('card', JSON.stringify({ pan: card.pan, expiry: card.expiry }));
    const merchant = { id: 'SHOP1', name: 'Corner shop', city: 'Berlin', country: 'DE', mcc: '5411' };
    const body = { ...card, ...(cvv ? { cvv } : {}), billing: { amount, currency }, merchant };
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch('/messages', { method: 'POST', headers, body: JSON.stringify(body) });
    const { answers, detail } = await answer.json();
    const [said] = answers || [];
    document.getElementById('receipt').textContent = said
      ? said.response_code + ' ' + said.reason + ', answered by the ' + said.answered_by.replace('_', ' ')
      : detail;
  });
</script>`;
