import type { BankAccountType } from '#shared/accounts/model.ts';
import { bankByIspb, ispbOfBankNumber } from '../core/bank-directory.ts';
import type { BrCodeError } from '../core/br-code/parse.ts';
import { parseBrCode } from '../core/br-code/parse.ts';
import type { Centavos } from '../core/money.ts';
import type { BankData } from '../core/party.ts';
import { pick } from '../core/pick.ts';
import type { PixKey } from '../core/pix-key.ts';
import { recognisePixKey } from '../core/pix-key.ts';
import type { Detail } from '../core/errors.ts';

/** Where a payout goes, as the caller named it: by a key, by a QR code or by an account (2.7). */
export type PayoutTarget =
  | { readonly initiation: 'KEY'; readonly key: PixKey }
  | { readonly initiation: 'STATIC_QRCODE'; readonly key: PixKey; readonly amount?: Centavos; readonly txid?: string }
  | { readonly initiation: 'DYNAMIC_QRCODE'; readonly url: string; readonly qrcodeData: string }
  | { readonly initiation: 'MANUAL'; readonly bank: BankData };

/** Why a text is no target; `details` have paths within `paymentData`. */
export type InvalidTarget = { readonly details: readonly Detail[] };

export type BankAccountFields = {
  readonly ispb?: string;
  readonly bankNumber?: string;
  readonly accountType: BankAccountType;
  readonly branchNumber: string;
  readonly accountNumber: string;
};

/** The target as the caller wrote it: exactly one of the three fields. */
export type PaymentData = {
  readonly pixKey?: string;
  readonly qrcodeData?: string;
  readonly bankAccount?: BankAccountFields;
};

/** Returns the target of a key. Its form shows its type: a request names none (2.7). */
export function keyTarget(pixKey: string): PayoutTarget | InvalidTarget {
  const key = recognisePixKey(pixKey);
  if (key !== undefined) return { initiation: 'KEY', key };
  return invalidTarget(
    'pixKey',
    'INVALID_FORMAT',
    'Is not the form of a Pix key: CPF, CNPJ, e-mail, +phone or random key.',
  );
}

/** Returns the target of a static or dynamic QR code. A code that only authorizes a recurrence cannot be paid. */
export function qrCodeTarget(qrcodeData: string): PayoutTarget | InvalidTarget {
  const code = parseBrCode(qrcodeData);
  switch (code.kind) {
    case 'DYNAMIC':
      return { initiation: 'DYNAMIC_QRCODE', url: code.url, qrcodeData };
    case 'STATIC': {
      const key = recognisePixKey(code.pixKey);
      if (key === undefined)
        return invalidTarget('qrcodeData', 'INVALID_FORMAT', 'The key in the QR code is not a Pix key.');
      return { initiation: 'STATIC_QRCODE', key, ...pick(code, 'amount', 'txid') };
    }
    case 'RECURRENCE_ONLY':
      return invalidTarget(
        'qrcodeData',
        'NOT_PAYABLE',
        'The QR code authorizes a recurrence and carries nothing to pay.',
      );
    case 'INVALID':
      return invalidTarget('qrcodeData', issues[code.reason] ?? 'INVALID_FORMAT', descriptions[code.reason]);
  }
}

/** Returns the target of an account by ISPB, COMPE number or both, which must then name the same bank. */
export function accountTarget(fields: BankAccountFields): PayoutTarget | InvalidTarget {
  const { ispb: given, bankNumber, accountType, branchNumber: branch, accountNumber: account } = fields;
  if (given === undefined && bankNumber === undefined)
    return invalidTarget('bankAccount.ispb', 'REQUIRED', 'Give ispb or bankNumber.');
  const known = bankNumber === undefined ? undefined : ispbOfBankNumber(bankNumber);
  if (bankNumber !== undefined && known === undefined)
    return invalidTarget('bankAccount.bankNumber', 'INVALID_VALUE', 'No bank has this number.');
  if (given !== undefined && known !== undefined && given !== known)
    return invalidTarget('bankAccount.bankNumber', 'INVALID_VALUE', 'ispb and bankNumber name different banks.');
  const ispb = given ?? known ?? '';
  const bank = bankByIspb(ispb);
  return {
    initiation: 'MANUAL',
    bank: { ispb, ...(bank && { name: bank.name }), branch, account, accountType, ...(bank && { code: bank.code }) },
  };
}

const issues: Partial<Readonly<Record<BrCodeError, Detail['issue']>>> = {
  TOO_LONG: 'TOO_LONG',
  CASH_OUT: 'NOT_PAYABLE',
};

/** Error of a cash-out code. A static code shows it by naming a facilitator; for a dynamic code the bank reports it. */
export const cashOutDescription = 'The QR code is of Pix Saque or Pix Troco: it is paid for cash at a counter.';

const descriptions: Readonly<Record<BrCodeError, string>> = {
  TOO_LONG: 'A QR code has at most 512 characters.',
  UNREADABLE: 'A QR code holds no control characters, invisible characters or broken surrogates.',
  NOT_ASCII: 'Key and txid of a QR code are in printable ASCII.',
  NOT_A_BR_CODE: 'Is not a BR Code: it must begin with 000201 and end with 6304 and its checksum.',
  WRONG_CRC: 'The checksum of the QR code is wrong: it was cut or changed.',
  BROKEN_TLV: 'The QR code cannot be taken apart: a length in it is wrong.',
  DUPLICATE_OBJECT: 'The QR code holds one object twice.',
  MISSING_OBJECT: 'The QR code lacks a mandatory object.',
  NOT_BRAZILIAN: 'The QR code is not for a payment in BRL in Brazil.',
  NOT_PIX: 'The QR code carries no Pix payment.',
  AMBIGUOUS: 'The QR code carries more than one Pix payment.',
  CASH_OUT: cashOutDescription,
  BAD_URL: 'The address in the QR code is malformed.',
  BAD_AMOUNT: 'The amount in the QR code is malformed.',
};

function invalidTarget(field: string, issue: Detail['issue'], description: string): InvalidTarget {
  return { details: [{ field, issue, description }] };
}
