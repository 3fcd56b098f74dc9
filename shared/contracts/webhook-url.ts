import * as z from 'zod';

/** Length and form only; whether the host may be called is checked by the target guard, which looks at its addresses. */
export const WebhookUrl = z.string().min(1).max(2048).meta({ format: 'uri' });
