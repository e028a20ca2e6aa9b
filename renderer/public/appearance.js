// Runs before anything is drawn, so that no other appearance flashes up; the policy of the page allows no script inside it.
{
  const chosen = localStorage.getItem('gatehouse-appearance');
  const isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
}
