import { expect, test } from 'vitest';
import { hideHomeFolder } from './hide-home-folder.ts';

test.each([
  ['/home/ada/.local/share/gatehouse', '/home/ada', '~/.local/share/gatehouse'],
  ['/home/ada', '/home/ada', '~'],
  ['/home/adam/data', '/home/ada', '/home/adam/data'],
  ['/srv/gatehouse', '/home/ada', '/srv/gatehouse'],
  ['/mnt/home/ada/data', '/home/ada', '/mnt/home/ada/data'],
  ['/srv/gatehouse', '/', '/srv/gatehouse'],
  ['Data /home/ada/a, key: "/home/ada/b".', '/home/ada', 'Data ~/a, key: "~/b".'],
  ['C:\\Users\\Ada\\AppData', 'C:\\Users\\Ada', '~\\AppData'],
])('the path %s of the home folder %s is shown as %s', (path, home, shown) => {
  expect(hideHomeFolder(path, home)).toBe(shown);
});
