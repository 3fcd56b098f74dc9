import * as z from 'zod';
import { isValidDocument } from '../domain/document.ts';
import { fault, Name } from './text.ts';

/** A CPF or CNPJ as a caller writes it: without mask, check digits right; a CNPJ may hold letters (since July 2026). */
export const DocumentInput = z
  .strictObject({ type: z.enum(['CPF', 'CNPJ']), number: z.string().min(1).max(14) })
  .superRefine(({ type, number }, context) => {
    if (isValidDocument(type, number)) return;
    context.addIssue({ ...fault('INVALID_FORMAT', `Must be a valid ${type} without mask.`), path: ['number'] });
  });

export const PartyInput = z.strictObject({ name: Name, document: DocumentInput });

export const Document = z.strictObject({ type: z.enum(['CPF', 'CNPJ']), number: z.string() });
export const Party = z.strictObject({ name: z.string(), document: Document });
