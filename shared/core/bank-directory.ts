import { getBankByCode } from '@brazilian-utils/brazilian-utils/get-bank-by-code';
import { getBankByIspb } from '@brazilian-utils/brazilian-utils/get-bank-by-ispb';

const bankNumberGrammar = /^[0-9]{1,3}$/;
const ispbGrammar = /^[0-9]{8}$/;

/** The ISPB (8 digits) of a bank by its COMPE number, `001` or `1`; `undefined` when no bank has that number. */
export function ispbOfBankNumber(bankNumber: string): string | undefined {
  return bankNumberGrammar.test(bankNumber) ? getBankByCode(bankNumber)?.ispb : undefined;
}

/**
 * COMPE number (3 digits) and name of a bank, from the BCB's list of STR participants with a number. Other institutions
 * are `undefined` here and may still be participants of Pix.
 */
export function bankByIspb(ispb: string): { code: string; name: string } | undefined {
  const bank = ispbGrammar.test(ispb) ? getBankByIspb(ispb) : null;
  return bank ? { code: bank.code, name: bank.name } : undefined;
}
