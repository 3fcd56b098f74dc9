// The entry of the console for the scripts of the repository.
import { runProgram } from '@banking-order/partner-tools';
import { consoleTool } from './tool.ts';

process.exitCode = await runProgram(consoleTool, process.argv.slice(2));
