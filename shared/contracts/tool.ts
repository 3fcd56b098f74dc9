import * as z from 'zod';
import { text } from './text.ts';

/** What every simulation tool answers (4.9 to 4.11). */
export const ToolAnswer = z.strictObject({
  id: z.string(),
  description: z.string().meta({ description: 'The change that was executed.' }),
});

/** Id of the resource to move. Any text: one that is no id of the company is not found. */
export const ToolId = text(64);
