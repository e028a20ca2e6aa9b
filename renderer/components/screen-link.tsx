import { Anchor } from '@mantine/core';
import { createLink } from '@tanstack/react-router';

/** A link within running text to another screen: `<ScreenLink to="/history" search={{ filter: 'failed' }} />`. */
export const ScreenLink = createLink(Anchor<'a'>);
