import type { ExampleOf } from '#shared/contract/example.ts';
import { paidPayIn } from '#shared/payouts/examples.ts';
import type { ListPayIns } from './contract.ts';

const { qrcodeImageBase64: _image, ...paid } = paidPayIn;

export const example: ExampleOf<typeof ListPayIns> = {
  request: { query: { status: 'PAID', createdFrom: '2026-01-15T00:00:00-03:00', limit: '20' } },
  answer: { status: 200, body: { nextCursor: null, hasNext: false, data: [paid] } },
};
