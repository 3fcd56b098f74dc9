import { note } from './notes.ts';

/** Notes that it was called, and with what. */
export async function handler(event: { name?: string }): Promise<unknown> {
  await note(`tick#${event.name ?? 'none'}`, event);
  return event;
}
