// The tools for partners, as the scripts of the repository call them.
import { partnerTools, runCommand } from './command.ts';

process.exitCode = await runCommand(partnerTools, process.argv.slice(2));
