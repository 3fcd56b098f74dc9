// The console as a script of the repository calls it.
import { consoleTool } from './tool.ts';

process.exitCode = await consoleTool(process.argv.slice(2));
