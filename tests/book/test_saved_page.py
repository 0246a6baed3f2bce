"""A figure of the site saved as a page of its own: live from a disk, without a network."""

from harness.site import page_with_most


def test_a_figure_saved_from_the_site_lives_by_itself(browser, origins, tmp_path):
    context = browser.new_context(accept_downloads=True)
    page = context.new_page()
    path = page_with_most('class="inorder-view"')
    page.goto(f"{origins['server']}/{path}")
    figure = page.locator(".inorder-figure").first
    figure.scroll_into_view_if_needed()
    answer = figure.locator(".inorder-summary").inner_text()
    figure.locator(".inorder-tools > summary").click()
    with page.expect_download() as coming:
        figure.get_by_role("button", name="Save page").click()
    coming.value.save_as(tmp_path / "figure.html")
    context.set_offline(True)
    trouble = []
    page.on("console", lambda message: trouble.append(message.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("request", lambda one: one.url.startswith(("blob:", tmp_path.as_uri())) or trouble.append(one.url))
    page.goto((tmp_path / "figure.html").as_uri())
    page.locator(".inorder-summary").wait_for()
    assert page.locator(".inorder-summary").inner_text() == answer
    assert page.locator(".inorder-figure").count() == 1
    assert trouble == []
    context.close()
