import * as z from 'zod';
import { capitalDocument, isValidDocument } from '../core/document.ts';
import { ShownName } from './references.ts';
import { customIssue, Name } from './text.ts';

const DocumentType = z.enum(['CPF', 'CNPJ']).meta({ description: '`CPF` of a person, `CNPJ` of a company.' });
const documentNumber = {
  description:
    'Without mask, check digits right. A CNPJ may hold letters in its first 12 places; they are stored and shown as capitals.',
  examples: ['52998224725', '12ABC34501DE35'],
};

/**
 * A caller's CPF or CNPJ: without mask, valid check digits; a CNPJ may hold letters (since July 2026), which become
 * capitals.
 */
export const DocumentInput = z
  .strictObject({
    type: DocumentType,
    number: z
      .string()
      .min(1)
      .max(14)
      .overwrite(capitalDocument)
      .meta(documentNumber)
      .meta({ openapi: { pattern: '^([0-9]{11}|[0-9A-Za-z]{12}[0-9]{2})$' } }),
  })
  .superRefine(({ type, number }, context) => {
    if (isValidDocument(type, number)) return;
    context.addIssue({ ...customIssue('INVALID_FORMAT', `Must be a valid ${type} without mask.`), path: ['number'] });
  })
  .meta({ description: 'Taxpayer number of a person (CPF) or a company (CNPJ).' });

const customer = { description: 'Who asked for it.' };
const party = { description: 'A person or a company on one side of a payment.' };

export const PartyInput = z.strictObject({ name: Name, document: DocumentInput }).meta(party);
export const CustomerInput = z.strictObject({ document: DocumentInput }).meta(customer);

export const Document = z
  .strictObject({ type: DocumentType, number: z.string().meta(documentNumber) })
  .meta({ description: 'Taxpayer number of a person (CPF) or a company (CNPJ).' });
export const Party = z.strictObject({ name: ShownName, document: Document }).meta(party);
export const Customer = z.strictObject({ document: Document }).meta(customer);
