import type { Capabilities } from '../bank/capabilities.ts';
import { forbiddenByState } from '../core/errors.ts';
import type { Payout } from './model.ts';
import type { PayoutTarget } from './target.ts';

/** @throws RequestError 409 on the field that requests something that the company's bank cannot do */
export function requireCapable(
  can: Capabilities['payouts'],
  paymentMethod: Payout['paymentMethod'],
  target: PayoutTarget,
): void {
  const field = missingFor(can, paymentMethod, target);
  if (field !== undefined)
    throw forbiddenByState(field, 'INVALID_VALUE', 'The bank of the account cannot make such a payout.');
}

function missingFor(
  { byKey, staticCode, dynamicCode, accountTypes, ted, tedAccountTypes }: Capabilities['payouts'],
  paymentMethod: Payout['paymentMethod'],
  target: PayoutTarget,
): string | undefined {
  if (paymentMethod === 'TED') return ted ? missingType(tedAccountTypes, target) : 'paymentMethod';
  switch (target.initiation) {
    case 'KEY':
      return byKey ? undefined : 'paymentData.pixKey';
    case 'STATIC_QRCODE':
      return staticCode ? undefined : 'paymentData.qrcodeData';
    case 'DYNAMIC_QRCODE':
      return dynamicCode ? undefined : 'paymentData.qrcodeData';
    case 'MANUAL':
      return accountTypes.length === 0 ? 'paymentData.bankAccount' : missingType(accountTypes, target);
  }
}

/** Returns the field of the account's type, if it is none of these. */
function missingType(types: readonly string[], target: PayoutTarget): string | undefined {
  const { accountType = '' } = target.initiation === 'MANUAL' ? target.bank : {};
  return types.includes(accountType) ? undefined : 'paymentData.bankAccount.accountType';
}
