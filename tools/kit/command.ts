// The tools for partners with the console, as `npx banking-order TOOL` of the package that partners install.
import { consoleTool } from '@banking-order/console';
import { partnerTools, runCommand } from '@banking-order/partner-tools';

const tools = {
  ...partnerTools,
  console: ['shows resources and notifications in a browser', () => Promise.resolve(consoleTool)],
} as const;

process.exitCode = await runCommand(tools, process.argv.slice(2));
