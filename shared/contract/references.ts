import * as z from 'zod';

/** Common fields of responses and notifications. */

export const ShownExternalId = z
  .string()
  .meta({ description: 'Your own identifier, as you sent it.', examples: ['invoice-2026-0042'] });

/** The OAuth client of a request, as its token names it. */
export const ClientOf = z.string().meta({
  description: 'The client of yours, by its client id, whose request did it. Not in the answer to that request.',
  examples: ['0246d40d-3193-4308-ae05-dc1fd379cde4'],
});

/** BCB, SPI message pacs.008. */
export const EndToEndId = z.string().meta({
  description:
    'By which both banks, and the payer’s statement, know the PIX payment: `E`, the ISPB of the institution that pays, ' +
    'the minute in UTC and 11 characters. Case matters.',
  examples: ['E12345678202601151205A1b2C3d4E5f'],
});

/** BCB, Manual de Padrões, Annex IV, 2.1.1. */
export const RecurrenceId = z.string().meta({
  description:
    'Id of the recurrence in PIX Automático (`idRec`): `RR` if charges may be tried again after their due date, else `RN`, ' +
    'then ISPB, day and 11 characters. Empty when the bank refused the recurrence.',
  examples: ['RR1234567820260115a1B2c3D4e5F'],
});

/** BCB, API Pix, `txid`. */
export const TransactionId = z.string().meta({
  description: '`txid` of the charge: it stands in the QR code and in the payer’s statement.',
  examples: ['6f1d2c3b4a594e8f9a0b1c2d3e4f5a00'],
});

export const QrCodeText = z.string().meta({
  description: 'The BR Code as text, to copy and paste (“PIX Copia e Cola”). Empty when the bank refused it.',
  examples: ['00020101021226800014br.gov.bcb.pix2558qr.example.com/v2/cobv/6f1d2c3b5204000053039865802BR6304ABCD'],
});

export const QrCodeImage = z.string().meta({
  contentEncoding: 'base64',
  description: 'The BR Code as a PNG, base64 without a data-URI prefix. Empty when there is no code.',
  examples: ['iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=='],
});

export const ErrorMessage = z.string().meta({
  description: 'Why it cannot go on, for a person; begins with the code of the SPI where the bank gave one.',
  examples: ['AC03: The account of the receiver does not exist.'],
});

export const ShownDescription = z
  .string()
  .meta({ description: 'Free text of the request.', examples: ['Mensalidade de janeiro'] });

export const ShownName = z.string().meta({ description: 'Full name or company name.', examples: ['Maria Souza'] });

export const Ispb = z.string().meta({
  description: 'The institution’s number in the payment system: 8 characters.',
  examples: ['60701190'],
});

export const BankNumber = z.string().meta({
  description: 'COMPE number of the bank; absent for institutions without one.',
  examples: ['341'],
});

export const BranchNumber = z.string().meta({ description: 'Branch (agência).', examples: ['0001'] });

export const AccountNumber = z.string().meta({ description: 'Account, check digit included.', examples: ['123456-7'] });

/** Why a devolução failed. */
export const ReturnError = ErrorMessage.optional().meta({
  description: 'Of a failed one: the code of the SPI, if any, and why.',
});
