/** What a payer confirms before money leaves: amount and payee of the very request. */
import { payeeText } from '../../domain/notifications/approval-text.ts';
import { faultIn } from '../../domain/refusals.ts';
import type { QuoteId } from '../../domain/ids.ts';
import type { Money } from '../../domain/money.ts';
import type { TransferIntent } from '../../domain/transfers/transfer-intent.ts';
import type { Approval, ApprovalCall, ApprovalNeeds } from '../identity/factors/step-up-kind.ts';
import { intentOf, quotedPrice, type Intent } from './intent.ts';

/** Of a transfer that is made now. Another currency needs a quote, because nobody can confirm an amount that is not fixed yet. */
export async function transferApproval(
  call: ApprovalCall & { readonly body: TransferIntent & { readonly quote_id?: QuoteId | undefined } },
  needs: ApprovalNeeds,
): Promise<Approval> {
  const { quote_id: quote, ...wanted } = call.body;
  const intent = await intentOf(call, wanted, needs);
  if (quote === undefined) {
    if (intent.targetAsset !== intent.source.asset)
      throw faultIn('/request/quote_id', 'required', 'is required if the amount is converted');
    return approvalOf(intent, wanted, fixedAmount(intent), null);
  }
  const { source, target } = await quotedPrice(call, quote, intent);
  return approvalOf(intent, wanted, source, source.asset === target.asset ? null : target);
}

/** Of a transfer for later. It is priced on its day, so the amount is the one that the plan fixes. */
export async function scheduledApproval(
  call: ApprovalCall & { readonly body: TransferIntent },
  needs: ApprovalNeeds,
): Promise<Approval> {
  const intent = await intentOf(call, call.body, needs);
  return approvalOf(intent, call.body, fixedAmount(intent), null);
}

function fixedAmount({ fixed, source, targetAsset }: Intent): Money {
  return { minor: fixed.minor, asset: fixed.side === 'source' ? source.asset : targetAsset };
}

function approvalOf(
  { payee }: Intent,
  { destination }: TransferIntent,
  amount: Money,
  target: Money | null,
): Approval {
  return { amount, target, payee: payeeText(destination, payee.account?.number ?? '') };
}
