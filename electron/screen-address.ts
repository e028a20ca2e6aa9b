/** Where a screen shows one thing. Its id stands in quotes: some could be read as numbers. */
export function screenOf(screen: 'history' | 'videos', name: string, id: string): string {
  return `/${screen}?${name}=${encodeURIComponent(JSON.stringify(id))}`;
}
