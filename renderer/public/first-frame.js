// Shows the frame of the page while its scripts load. A browser without a session, the desktop app and the quick chat begin differently.
{
  const frame = document.getElementById('first-frame');
  const link = frame.querySelector(`[data-path="${CSS.escape(location.pathname)}"]`);
  const isSignedIn = localStorage.getItem('gatehouse-window') !== null;
  if (link !== null && isSignedIn && !('gatehouse' in window)) {
    link.dataset.active = '';
    // The heading of the chat is not visible.
    if (location.pathname !== '/chat') {
      frame.querySelector('.ff-title').textContent = link.textContent;
    }
    frame.hidden = false;
  }
}
