import { answers, note } from '../test-side.ts';

let item = { openAtLogin: false, args: '', isSwitchedOff: false };

/** On Windows `enabled` goes to the switch that Task Manager shows; without the item there is none. */
export function setLoginItem(settings: Electron.Settings): void {
  note('app.setLoginItemSettings', settings);
  const { openAtLogin = false, enabled = true, args = [] } = settings;
  item = { openAtLogin, args: args.join(' '), isSwitchedOff: openAtLogin && !enabled };
}

/** Only macOS and Windows have more to tell. To Windows another list of arguments is another item. */
export function readLoginItem({
  args = [],
}: Electron.LoginItemSettingsOptions = {}): Electron.LoginItemSettings {
  const isThis = process.platform !== 'win32' || args.join(' ') === item.args;
  return {
    openAtLogin: item.openAtLogin && isThis,
    wasOpenedAtLogin: process.argv.includes('--opened-at-login'),
    status: item.openAtLogin ? 'enabled' : 'not-registered',
    executableWillLaunchAtLogin: item.openAtLogin && !item.isSwitchedOff,
    launchItems: [],
  };
}

answers.switchLoginItem = ({ on }) => {
  item = { ...item, isSwitchedOff: !on };
};
