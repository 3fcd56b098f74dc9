import type { Command } from '../command.ts';
import { command, optional } from '../command.ts';
import * as read from '../values.ts';
import { showStatus } from './status.ts';

/** Seconds between two looks of `status --watch`. */
const watchedEverySeconds = 10;

export const statusCommands: Readonly<Record<string, Command>> = {
  status: {
    ...command(
      'Shows all that is wrong, and the next command for it: banks and the money that waits there, endpoints, late work, queues of failures.',
      {
        environment: optional(
          read.oneOf('NAME', ['dev', 'hml', 'prod']),
          'Required with --table: its queues and its deployment are read.',
        ),
      },
      showStatus,
      ({ state }) => state !== 'GOOD',
    ),
    watchedEverySeconds,
  },
};
