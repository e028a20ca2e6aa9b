import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useCalls } from '../api/client.ts';
import classes from './navigation-rail.module.css';

/** Its menu is loaded only where there are profiles: it is large for the first screen. */
const ProfileMenu = lazy(async () => {
  const { ProfileMenu: menu } = await import('./profile-menu.tsx');
  return { default: menu };
});

/** Shows the profile of model aliases in use, and switches it. It is absent while there are no profiles. */
export function ProfileSwitch() {
  const { data } = useQuery(useCalls().status.get.queryOptions());
  if (data === undefined || data.profiles.length === 0) return null;
  return (
    <Suspense fallback={null}>
      <ProfileMenu className={classes['help'] ?? ''} />
    </Suspense>
  );
}
