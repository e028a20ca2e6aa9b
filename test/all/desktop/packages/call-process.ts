import { readCall } from '../../../../launcher/call.ts';
import { asChromium } from './chromium-arguments.ts';

// Prints how the packed program understands its arguments, after they went through Chromium.
console.log(JSON.stringify(readCall(['program', ...asChromium(process.argv.slice(2))])));
