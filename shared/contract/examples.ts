import { buildCompositeCode, buildDynamicCode } from '../core/br-code/build.ts';

/** Ids of the resources in all examples, which tell one story. Tests replace the ids. */
export const exampleIds = {
  accountId: '0b6f5d1c-7a52-4f6e-9d0a-2f1c8e4b7a11',
  subscriptionId: '3f2b8c1e-5d4a-4c6b-9e7f-0a1b2c3d4e5f',
  paymentId: 'a4d7e9f2-1b3c-4d5e-8f60-718293a4b5c6',
  payInId: '6f1d2c3b-4a59-4e8f-9a0b-1c2d3e4f5a00',
  refundId: '9c1f0e7d6b5a49388271605f4e3d2c1b',
  payoutId: 'd2c1b0a9-8f7e-4d6c-9b5a-493827160500',
  deliveryId: '5e4d3c2b-1a09-4f8e-8d7c-6b5a49382716',
  validationId: '91a2b3c4-d5e6-4f70-8192-a3b4c5d6e7f8',
  resendId: 'c7b6a594-8372-4615-9f0e-dcba98765432',
  creditId: '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed',
  disputeId: '8d0f7c52-3f1b-4d6e-a1c9-5b7e2f4a6c00',
} as const;

/** Times of that story, in their order. */
export const exampleTimes = {
  opened: '2026-01-02T13:00:00.000Z',
  created: '2026-01-15T12:00:00.000Z',
  authorized: '2026-01-15T12:04:31.250Z',
  paid: '2026-01-15T12:05:07.123Z',
  attempted: '2026-01-15T12:05:07.480Z',
  refunded: '2026-01-16T10:00:00.000Z',
} as const;

/** Parties of the examples: valid documents of no real person. */
export const maria = { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } } as const;
export const company = {
  fullName: 'Clínica Boa Vista Ltda',
  document: { type: 'CNPJ', number: '11222333000181' },
} as const;
export const mariasBank = { ispb: '60701190', accountNumber: '123456-7', branchNumber: '0001' } as const;

export function brl<V extends string>(value: V): { readonly currency: 'BRL'; readonly value: V } {
  return { currency: 'BRL', value };
}

/** A PNG of one pixel. */
export const exampleImage =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';

const merchant = { name: 'Clinica Boa Vista Ltda', city: 'SAO PAULO' };
const url = 'pix.example.com/qr/v2/cob/6f1d2c3b4a594e8f9a0b1c2d3e4f5a00';

export const chargeCode = buildDynamicCode({ merchant, url });
export const compositeCode = buildCompositeCode({
  merchant,
  url,
  recurrenceUrl: 'pix.example.com/qr/v2/rec/9c8485d0fc9363201700da034a0b3555',
});
