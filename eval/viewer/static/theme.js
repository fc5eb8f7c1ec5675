// Before anything is drawn: the theme that was chosen here, if any. Without one, the system decides.
{
  const chosen = localStorage.getItem("emoharbor-theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
}
