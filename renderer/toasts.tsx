import { Notifications, useNotifications } from '@mantine/notifications';
import { useEffect } from 'react';
import classes from './toasts.module.css';

const HEIGHT = '--gate-toasts-height';
const POSITION = 'bottom-left';
/** Pixels; the longest messages of an unreachable service need about 260 beside the navigation. */
const MAX_HEIGHT = 400;

/**
 * Shows short notifications where they cover no facts: in the empty part of the navigation, and in a narrow window below its bar, where the
 * page moves down by their height.
 */
export function Toasts() {
  useToastsHeight();
  return (
    <Notifications
      position={POSITION}
      limit={3}
      notificationMaxHeight={MAX_HEIGHT}
      classNames={{ root: classes['root'] ?? '', notification: classes['toast'] ?? '' }}
    />
  );
}

/** Keeps the height of the toasts in a CSS variable, for a layout that makes room for them. */
function useToastsHeight(): void {
  const shown = useNotifications().notifications.length;
  useEffect(() => {
    const root = document.querySelector(`.${classes['root']}[data-position='${POSITION}']`);
    if (shown === 0 || root === null) return undefined;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(([entry]) => {
      style.setProperty(HEIGHT, `${Math.ceil(entry?.contentRect.height ?? 0)}px`);
    });
    observer.observe(root);
    return () => {
      observer.disconnect();
      style.removeProperty(HEIGHT);
    };
  }, [shown]);
}
