import * as z from 'zod';
import { centavos, maxAmount } from '../domain/money.ts';
import type { Bank } from './bank.ts';
import { BankUnavailable } from './bank.ts';

/** A bank whose answers nobody has looked at yet. */
export type UncheckedBank = {
  readonly [Call in keyof Bank]: (...asked: Parameters<Bank[Call]>) => Promise<unknown>;
};

const Ispb = z.string().regex(/^[0-9A-Z]{8}$/u);
const Text = z.string().min(1).max(140);
const BankData = z.object({
  ispb: Ispb,
  name: Text.exactOptional(),
  branch: Text.exactOptional(),
  account: Text,
  accountType: Text.exactOptional(),
  code: Text.exactOptional(),
});
const KeyOwner = z.object({
  name: Text,
  document: z.object({
    type: z.enum(['CPF', 'CNPJ']),
    number: z.string().regex(/^([0-9]{11}|[0-9A-Z]{12}[0-9]{2})$/u),
  }),
  bank: BankData,
});
const Charge = z.union([
  z.object({
    state: z.literal('OPEN'),
    key: z.object({ type: z.enum(['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'RANDOM']), key: z.string().min(1).max(77) }),
    owner: KeyOwner,
    txid: z.string().regex(/^[A-Za-z0-9]{26,35}$/u),
    amount: z.int().min(1).max(maxAmount).transform(centavos).exactOptional(),
  }),
  z.object({ state: z.literal('EXPIRED') }),
  z.object({ state: z.literal('NOT_PAYABLE') }),
]);
const Submission = z.union([
  z.object({ accepted: z.literal(true) }),
  z.object({ accepted: z.literal(false), reason: Text }),
]);

const Cancellation = z.object({ canceled: z.boolean() });

/** A call that takes longer has lost its answer, in milliseconds: the caller of the API is waiting behind it. */
const ANSWER_WITHIN_MS = 3000;

/**
 * The bank with every answer checked before it is used. One that is not what `Bank` promises, or does not come in time, is
 * an answer that was not given: `BankUnavailable`.
 */
export function checkedBank(bank: UncheckedBank): Bank {
  return {
    resolveKey: async (key, asking) => checked(KeyOwner.optional(), await inTime(bank.resolveKey(key, asking))),
    resolveCharge: async (url, asking) => checked(Charge.optional(), await inTime(bank.resolveCharge(url, asking))),
    submit: async (instruction) => checked(Submission, await inTime(bank.submit(instruction))),
    cancel: async (reference) => checked(Cancellation, await inTime(bank.cancel(reference))),
  };
}

async function inTime(answer: Promise<unknown>): Promise<unknown> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new BankUnavailable('The bank did not answer in time.'));
  }, ANSWER_WITHIN_MS);
  try {
    return await Promise.race([answer, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function checked<S extends z.ZodType>(schema: S, answer: unknown): z.output<S> {
  const result = schema.safeParse(answer);
  if (result.success) return result.data;
  const paths = result.error.issues.map(({ path }) => path.join('.') || '(answer)');
  throw new BankUnavailable(`The bank answered what it must not: ${[...new Set(paths)].join(', ')}.`);
}
