// The entry of the console for the scripts of the repository.
import { consoleTool } from './tool.ts';

process.exitCode = await consoleTool(process.argv.slice(2));
