// Refreshes live pages, continues searches, selects whole pages, copies texts, and shows and takes local times. Everything else works without JavaScript.
'use strict';
(() => {
  const page = document.getElementById('page');
  const select = () => {
    const all = document.getElementById('all');
    if (!all) {
      return;
    }
    const boxes = [...page.querySelectorAll('input[name=id]')];
    const update = () => {
      const selected = boxes.filter((box) => box.checked).length;
      all.checked = selected > 0 && selected === boxes.length;
      all.form.querySelectorAll('button').forEach((button) => { button.disabled = selected === 0; });
    };
    document.getElementById('all-label').hidden = false;
    all.addEventListener('change', () => boxes.forEach((box) => { box.checked = all.checked; }));
    all.form.addEventListener('change', update);
    // A browser that goes back to the page restores the selection.
    window.addEventListener('pageshow', update);
    update();
  };
  select();
  if (navigator.clipboard) {
    document.querySelectorAll('button.copy').forEach((button) => {
      const name = button.textContent;
      button.hidden = false;
      button.addEventListener('click', async () => {
        const texts = [...button.parentElement.querySelectorAll('code')].map((code) => code.textContent);
        try {
          await navigator.clipboard.writeText(texts.join('\n'));
          button.textContent = 'Copied';
        } catch (e) {
          button.textContent = 'Not permitted by the browser';
        }
        setTimeout(() => { button.textContent = name; }, 2000);
      });
    });
  }
  const zoned = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'short' });
  const localize = (part) => part.querySelectorAll('time[datetime]').forEach((one) => {
    const others = one.title;
    const here = zoned.format(new Date(one.dateTime));
    if (others.startsWith(one.textContent)) {
      one.textContent = here;
    }
    one.title = `${here} · ${others}`;
  });
  localize(page);
  // The server sends and takes UTC. An unchanged input keeps it, since an hour of local time may occur twice.
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const inputs = new Map();
  document.querySelectorAll('input[type=datetime-local]').forEach((input) => {
    const utc = input.defaultValue;
    if (utc) {
      const time = new Date(`${utc}Z`);
      input.value = new Date(time - time.getTimezoneOffset() * 60000).toISOString().slice(0, 19);
    }
    input.labels[0].textContent = input.labels[0].textContent.replace('UTC', zone);
    inputs.set(input, { utc, local: input.value });
  });
  document.addEventListener('formdata', (event) => inputs.forEach(({ utc, local }, input) => {
    if (input.form === event.target && input.value) {
      event.formData.set(input.name, input.value === local ? utc : new Date(input.value).toISOString().slice(0, 19));
    }
  }));
  // A search that has found nothing yet continues until it is stopped. Each page of it takes little time.
  const search = async (found) => {
    const stop = document.createElement('button');
    stop.id = 'stop-search';
    stop.type = 'button';
    stop.textContent = 'Stop the search';
    stop.addEventListener('click', () => stop.remove());
    found.after(stop);
    found.setAttribute('aria-busy', 'true');
    for (let next = true; next && stop.isConnected;) {
      const { href } = found.querySelector('a[data-further]');
      try {
        const answer = await fetch(`${href}&fragment=1`, { credentials: 'same-origin', redirect: 'error', signal: AbortSignal.timeout(15000) });
        if (!answer.ok) {
          throw new Error(answer.statusText);
        }
        found.innerHTML = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('found').innerHTML;
        history.replaceState(null, '', href);
        next = found.querySelector('a[data-further]');
      } catch (e) {
        next = null;
      }
    }
    localize(found);
    select();
    stop.remove();
    found.removeAttribute('aria-busy');
  };
  if (page && page.querySelector('a[data-further]')) {
    search(document.getElementById('found'));
  }
  if (!page || !page.dataset.live) {
    return;
  }
  const every = page.dataset.live * 1000;
  const state = document.getElementById('live-state');
  let timer = 0;
  state.parentElement.querySelector(`a[href$="refresh=${page.dataset.live}"]`).setAttribute('aria-current', 'true');
  if (!every) {
    return;
  }

  const say = (words, stale) => {
    // Screen readers announce a status again whenever its text is set, even to an equal one.
    if (state.textContent !== words) {
      state.textContent = words;
    }
    document.body.classList.toggle('stale', stale);
  };

  const show = (html) => {
    const focused = document.activeElement && page.contains(document.activeElement) ? document.activeElement : null;
    const id = focused ? focused.id : '';
    const href = focused ? focused.getAttribute('href') : null;
    const scrolled = [...page.querySelectorAll('.scroll')].map((one) => one.scrollLeft);
    const typed = [...page.querySelectorAll('input[id]')].filter((one) => one.value !== one.defaultValue);
    // The templates escape their values, and the content security policy blocks inline scripts.
    page.innerHTML = html;
    localize(page);
    typed.map((one) => [document.getElementById(one.id), one.value]).forEach(([one, value]) => { if (one) { one.value = value; } });
    page.querySelectorAll('.scroll').forEach((one, i) => { one.scrollLeft = scrolled[i] || 0; });
    if (focused) {
      const again = id ? document.getElementById(id) : [...page.querySelectorAll('a')].find((a) => a.getAttribute('href') === href);
      if (again) {
        again.focus({ preventScroll: true });
      }
    }
  };

  let asking = false;
  const refresh = async () => {
    // Making the page visible must not start a second request while one is pending.
    if (asking) {
      return;
    }
    asking = true;
    if (!document.hidden) {
      const url = new URL(location.href);
      url.searchParams.set('fragment', '1');
      try {
        const answer = await fetch(url, { credentials: 'same-origin', redirect: 'error', signal: AbortSignal.timeout(15000) });
        if (!answer.ok) {
          throw new Error(answer.statusText);
        }
        show(await answer.text());
        say('live', false);
      } catch (e) {
        say('no answer; retrying', true);
      }
    }
    asking = false;
    timer = setTimeout(refresh, every);
  };

  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) {
      clearTimeout(timer);
      refresh();
    }
  });
  say('live', false);
  timer = setTimeout(refresh, every);
})();
