import type { Command } from '../command.ts';
import { command, listCommand, optional, withTrail } from '../command.ts';
import * as read from '../values.ts';
import { showTrail } from './trail.ts';
import { showStatus } from './status.ts';

/** Seconds between two looks of `status --watch`. */
const watchedEverySeconds = 10;

export const statusCommands: Readonly<Record<string, Command>> = {
  status: {
    ...withTrail(
      false,
      command(
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
    ),
    watchedEverySeconds,
  },
  trail: listCommand(
    'Lists the commands of operators that changed something: when, who, what, and how it ended.',
    {
      companyId: optional(read.Id, 'Only this company. Default all.', 'company'),
      from: optional(read.Day, 'First day, in Brasilia. Default 30 days ago.'),
    },
    showTrail,
    'No command changed anything since then.',
  ),
};
