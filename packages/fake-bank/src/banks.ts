import { startQiTech } from './qitech/start.ts';
import { startLocalBank } from './start.ts';

/** The banks, by the names of the option `--bank`. */
export const banks = { 'api-pix': startLocalBank, qitech: startQiTech } as const;

export type BankName = keyof typeof banks;
export const bankNames = Object.keys(banks) as readonly BankName[];
