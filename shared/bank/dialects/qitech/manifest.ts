import type { Manifest } from '../manifest.ts';
import { qitechReader } from './reader.ts';

// The parts of QI Tech's dialect. It opens no charges and recurrences, and hears no callbacks.
export { capabilities } from './capabilities.ts';
export { check } from './check.ts';
export { connecting } from './connecting.ts';
export { parseSecret } from './credentials.ts';
export { qitechDirectory as directory } from './directory.ts';
export { open } from './client.ts';
export { qitechPayouts as payouts } from './payouts.ts';
export { qitechRefunds as refunds } from './refunds.ts';
export const reader: Manifest['reader'] = qitechReader;
