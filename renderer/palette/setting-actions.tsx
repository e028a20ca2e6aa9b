import { IconSettings } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { ON_DESKTOP } from '../api/desktop.ts';
import { ICON } from './icon.ts';
import type { PaletteAction } from './rank-actions.ts';

/** The settings by their label on the Settings screen, with other words to find them by. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  Services: ['upstream', 'service key', 'api key', 'add a service', 'sandbox'],
  Port: ['address', 'proxy'],
  Repairs: ['fix', 'path', 'header'],
  'Usage of streams': ['tokens', 'include_usage'],
  'End streams at a limit': ['cut', 'budget'],
  'Refuse what has no price': ['unpriced', 'limit', 'money'],
  'When an agent runs away': ['runaway', 'loop', 'stop', 'breaker'],
  'Keep exchanges': ['retention', 'days', 'history'],
  'Keep headers': ['retention', 'days', 'history'],
  'Keep requests and responses': ['retention', 'bodies', 'prompts', 'answers', 'history'],
  'Keep at most': ['retention', 'size', 'history'],
  'Erase the history': ['delete', 'exchanges', 'clear'],
  'Delete all conversations': ['erase', 'chat', 'clear'],
  'Keep clients’ videos': ['queue', 'durable'],
  Theme: ['appearance', 'dark', 'light'],
  Data: ['folder', 'disk', 'size'],
  Diagnostics: ['report', 'version', 'support'],
};

const APP_SETTINGS: Readonly<Record<string, readonly string[]>> = {
  Notifications: ['notices', 'app'],
  'Start at login': ['autostart', 'app'],
  'Quick chat': ['shortcut', 'app'],
  Updates: ['version', 'app'],
  'Quit Gatehouse': ['exit', 'close', 'end', 'app'],
};

/** Returns an action for each setting, which opens Settings there. */
export function useSettingActions(): PaletteAction[] {
  const navigate = useNavigate();
  const settings = { ...SETTINGS, ...(ON_DESKTOP ? APP_SETTINGS : {}) };
  return Object.entries(settings).map(([label, keywords]) => ({
    id: `setting-${label}`,
    label,
    description: 'Setting',
    keywords: [...keywords],
    leftSection: <IconSettings {...ICON} />,
    onClick: () => void navigate({ to: '/settings', search: { setting: label } }),
  }));
}
