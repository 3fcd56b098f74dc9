import * as z from 'zod';
import { Uuid } from '../contract/text.ts';

/** The response of every simulation tool (4.9 to 4.11). */
export const ToolResponse = z
  .strictObject({
    id: z.string().meta({ description: 'What was moved.', examples: ['6f1d2c3b-4a59-4e8f-9a0b-1c2d3e4f5a00'] }),
    description: z.string().meta({
      description: 'The change that was executed, and what becomes of each notification that it causes.',
      examples: [
        'Pay-in 6f1d2c3b-4a59-4e8f-9a0b-1c2d3e4f5a00: status PENDING → PAID. ORDER-PAYIN.PAID (delivery 0b0f4c5e-8c1d-4a4e-9d51-2f6f0a6b7c8d) is queued for https://partner.example.com/webhooks.',
      ],
    }),
  })
  .meta({ description: 'What a simulation tool did.' });

/** Another company's id is 404. */
export const ToolId = Uuid.meta({
  description: 'What is to be moved: the `id` that its creation answered.',
  openapi: { examples: ['6f1d2c3b-4a59-4e8f-9a0b-1c2d3e4f5a00'] },
});

/** An order, a payment of a batch, or a refund. */
export const OrderToolId = z
  .string()
  .regex(
    /^([0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{32})$/u,
    'Must be a UUID, or the id of a refund or return.',
  )
  .transform((id) => id.toLowerCase())
  .meta({
    description:
      'What is to be moved: the `id` that its creation answered; the `refundId` of a refund, the `returnId` of a return.',
    openapi: { examples: ['6f1d2c3b-4a59-4e8f-9a0b-1c2d3e4f5a00'] },
  });

/** `status` of the tools that stand for the payer's bank. */
export const wordOfPayersBank = {
  description: 'What the payer’s bank is to say; `x-transitions` of this document lists from where.',
};
