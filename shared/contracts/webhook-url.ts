import { text } from './text.ts';

/** Length and form only; whether the host may be called is checked by the target guard, which looks at its addresses. */
export const WebhookUrl = text(2048).meta({ format: 'uri' });
