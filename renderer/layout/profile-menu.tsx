import { Menu, UnstyledButton } from '@mantine/core';
import { IconSwitchHorizontal } from '@tabler/icons-react';
import { useProfile } from '../api/use-profile.ts';

/** No profile has this name. */
const NONE = 'none';

/** Shows the profile in use as a menu of all profiles. */
export function ProfileMenu({ className }: { readonly className: string }) {
  const { used, names, isPending, use } = useProfile();
  return (
    <Menu position="right-end">
      <Menu.Target>
        <UnstyledButton className={className} disabled={isPending}>
          <IconSwitchHorizontal size={15} aria-hidden />
          <span>Profile: {used ?? 'none'}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
        <Menu.RadioGroup value={used ?? NONE} onChange={(name) => use(name === NONE ? null : name)}>
          {[NONE, ...names].map((name) => (
            <Menu.RadioItem key={name} value={name} closeMenuOnClick>
              {name === NONE ? 'None' : name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
