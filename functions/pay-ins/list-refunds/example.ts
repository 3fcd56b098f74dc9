import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import { paidPayIn } from '#shared/payouts/examples.ts';
import type { ListRefunds } from './contract.ts';

export const example: ExampleOf<typeof ListRefunds> = {
  request: { params: { id: exampleIds.payInId } },
  answer: {
    status: 200,
    body: {
      data: [
        {
          refundId: '9c1f0e7d6b5a49388271605f4e3d2c1b',
          orderId: exampleIds.payInId,
          amount: paidPayIn.amount,
          createdAt: '2026-01-16T09:58:00.000Z',
          status: 'SETTLED',
          description: 'Devolução a pedido',
        },
      ],
    },
  },
};
